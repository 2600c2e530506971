//! The hidden options `--plant NAME` and `--chaos PERMILLE`, in builds with the feature `plant` only.

#[cfg(feature = "plant")]
mod option {
    use harness::plant::{self, Fault};

    use crate::self_test::fault;

    /// Which fault of the harness's own lowerings is planted.
    #[derive(clap::Args)]
    pub struct Plant {
        #[arg(long = "plant", hide = true, value_name = "NAME", value_parser = fault)]
        fault: Option<Fault>,
        /// Adds a path that does its worst to its process on so many of a thousand programs.
        #[arg(long, hide = true, value_name = "PERMILLE")]
        chaos: Option<u32>,
    }

    impl Plant {
        /// Plants it.
        pub fn apply(&self) {
            plant::plant(self.fault);
            plant::set_chaos(self.chaos.unwrap_or(0));
        }

        /// The option as it is written on a command line that repeats this one.
        pub fn arguments(&self) -> String {
            let fault = self.fault.map(|fault| format!(" --plant {}", fault.name()));
            let chaos = self.chaos.map(|permille| format!(" --chaos {permille}"));
            fault.into_iter().chain(chaos).collect()
        }
    }
}

#[cfg(not(feature = "plant"))]
mod option {
    /// Nothing, in this build.
    #[derive(clap::Args)]
    pub struct Plant {}

    impl Plant {
        /// Does nothing.
        pub fn apply(&self) {}

        /// Nothing.
        pub fn arguments(&self) -> String {
            String::new()
        }
    }
}

pub use option::Plant;
