//! The hidden option `--plant NAME`, in builds with the feature `plant` only.

#[cfg(feature = "plant")]
mod option {
    use harness::plant::{self, Fault};

    /// Which fault of the harness's own lowerings is planted.
    #[derive(clap::Args)]
    pub struct Plant {
        #[arg(long = "plant", hide = true, value_name = "NAME", value_parser = fault)]
        fault: Option<Fault>,
    }

    fn fault(name: &str) -> Result<Fault, String> {
        Fault::from_name(name).ok_or_else(|| {
            let names: Vec<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
            format!("no such fault; there are {}", names.join(", "))
        })
    }

    impl Plant {
        /// Plants it.
        pub fn apply(&self) {
            plant::plant(self.fault);
        }

        /// The option as it is written on a command line that repeats this one.
        pub fn arguments(&self) -> String {
            self.fault.map(|fault| format!(" --plant {}", fault.name())).unwrap_or_default()
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
