//! Threads over the numbers of programs, whose results come back in the order of the numbers, whatever the threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;

use crate::panics::{self, InternalFault};

/// Compilers recurse; a thread's usual 2 MB are less than a process's first thread has.
const STACK_BYTES: usize = 16 << 20;
/// Results that may wait for each thread before it waits itself.
const WAITING: usize = 64;

/// Runs `work` on 0, 1, 2, … below `end` on `jobs` threads until `is_over` says so, and hands the results to `each` in
/// order. Every thread has a state of its own, made by `state`; they are given back at the end.
pub fn in_order<S: Send, T: Send>(
    jobs: usize,
    end: u64,
    is_over: &(dyn Fn() -> bool + Sync),
    state: &(dyn Fn() -> S + Sync),
    work: &(dyn Fn(u64, &mut S) -> T + Sync),
    mut each: impl FnMut(u64, T) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<S>> {
    let next = AtomicU64::new(0);
    let (send, receive) = mpsc::sync_channel::<(u64, Result<T, InternalFault>)>(jobs * WAITING);
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(jobs);
        for number in 0..jobs {
            let (send, next) = (send.clone(), &next);
            let run = move || {
                let mut state = state();
                while !is_over() {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    // The receiver goes away when `each` fails or another thread has panicked.
                    if nth >= end || send.send((nth, panics::catch(|| work(nth, &mut state)))).is_err() {
                        break;
                    }
                }
                state
            };
            let builder = thread::Builder::new().name(format!("worker {number}")).stack_size(STACK_BYTES);
            threads.push(builder.spawn_scoped(scope, run).context("cannot start a thread")?);
        }
        drop(send);
        drain(receive, &mut each)?;
        threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a worker died"))).collect()
    })
}

/// Puts the results in order. Owns the receiver, so that it is gone when this ends early.
fn drain<T>(
    receive: mpsc::Receiver<(u64, Result<T, InternalFault>)>,
    each: &mut impl FnMut(u64, T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut early = BTreeMap::new();
    let mut wanted = 0;
    for (nth, result) in receive {
        early.insert(nth, result?);
        while let Some(result) = early.remove(&wanted) {
            each(wanted, result)?;
            wanted += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;
    use anyhow::bail;

    fn squares(jobs: usize, each: impl FnMut(u64, u64) -> anyhow::Result<()>) -> anyhow::Result<Vec<u64>> {
        let work = |nth: u64, count: &mut u64| {
            *count += 1;
            nth * nth
        };
        in_order(jobs, 1000, &|| false, &|| 0, &work, each)
    }

    #[test]
    fn results_come_in_order_and_states_come_back() {
        for jobs in [1, 3] {
            let mut seen = Vec::new();
            let counts = squares(jobs, |nth, square| {
                seen.push((nth, square));
                Ok(())
            });
            assert_eq!(counts.unwrap().iter().sum::<u64>(), 1000);
            assert!(seen.iter().copied().eq((0..1000).map(|nth| (nth, nth * nth))));
        }
    }

    #[test]
    fn an_error_ends_the_run() {
        let result = squares(2, |nth, _| if nth == 10 { bail!("full") } else { Ok(()) });
        assert_eq!(result.unwrap_err().to_string(), "full");
    }

    #[test]
    fn a_panic_is_an_internal_fault() {
        let work = |nth: u64, (): &mut ()| assert_ne!(nth, 5);
        let result = in_order(2, 100, &|| false, &|| (), &work, |_, ()| Ok(()));
        assert_eq!(Status::of_error(&result.unwrap_err()), Status::Internal);
    }

    #[test]
    fn a_run_that_is_over_ends() {
        let result = in_order(2, u64::MAX, &|| true, &|| (), &|_, ()| (), |_, ()| Ok(()));
        assert_eq!(result.unwrap().len(), 2);
    }
}
