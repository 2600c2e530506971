//! Conclusions from reports and trials that tests make up.
