//! Threads that candle uses. It reads their number from the environment, once, when it first computes.

/// The variables candle and its matrix products read.
const VARIABLES: [&str; 2] = ["CANDLE_NUM_THREADS", "RAYON_NUM_THREADS"];

/// Sets the number of threads, unless the environment has done so. To be called before the program has other threads.
#[allow(unsafe_code)]
pub fn set(threads: usize) {
    for name in VARIABLES {
        if std::env::var_os(name).is_none() {
            // SAFETY: the command line calls this while it reads its settings, when the process has one thread only, so nobody
            // else reads or writes the environment meanwhile.
            unsafe { std::env::set_var(name, threads.to_string()) };
        }
    }
}
