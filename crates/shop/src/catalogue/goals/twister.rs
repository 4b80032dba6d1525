//! Mersenne Twister as Python seeds and reads it, for the order of the goals.

const STATE: usize = 624;
const MIDDLE: usize = 397;

#[derive(Debug)]
pub(super) struct Twister {
    state: [u32; STATE],
    at: usize,
}

impl Twister {
    /// Seeded with a whole number, as `random.seed` does.
    pub(super) fn new(seed: u32) -> Self {
        let mut state = [0u32; STATE];
        state[0] = 19_650_218;
        for i in 1..STATE {
            state[i] = 1_812_433_253u32.wrapping_mul(state[i - 1] ^ (state[i - 1] >> 30)).wrapping_add(i as u32);
        }
        let mixed = |before: u32| before ^ (before >> 30);
        let mut i = 1;
        for _ in 0..STATE {
            state[i] = (state[i] ^ mixed(state[i - 1]).wrapping_mul(1_664_525)).wrapping_add(seed);
            i = Self::next_place(&mut state, i);
        }
        for _ in 1..STATE {
            state[i] = (state[i] ^ mixed(state[i - 1]).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            i = Self::next_place(&mut state, i);
        }
        state[0] = 0x8000_0000;
        Twister { state, at: STATE }
    }

    fn next_place(state: &mut [u32; STATE], i: usize) -> usize {
        if i + 1 < STATE {
            return i + 1;
        }
        state[0] = state[STATE - 1];
        1
    }

    fn bits(&mut self) -> u32 {
        if self.at == STATE {
            for i in 0..STATE {
                let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % STATE] & 0x7FFF_FFFF);
                let odd = if joined & 1 == 1 { 0x9908_B0DF } else { 0 };
                self.state[i] = self.state[(i + MIDDLE) % STATE] ^ (joined >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut bits = self.state[self.at];
        self.at += 1;
        bits ^= bits >> 11;
        bits ^= (bits << 7) & 0x9D2C_5680;
        bits ^= (bits << 15) & 0xEFC6_0000;
        bits ^ (bits >> 18)
    }

    /// A whole number below a bound that is not 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let unused = bound.leading_zeros();
        loop {
            let number = self.bits() >> unused;
            if number < bound {
                return number;
            }
        }
    }

    /// A number from 0 up to 1.
    pub(super) fn unit(&mut self) -> f64 {
        let (high, low) = (f64::from(self.bits() >> 5), f64::from(self.bits() >> 6));
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_pythons() {
        // Python 3.11: random.seed(233); four times random.getrandbits(32); random.random()
        let mut twister = Twister::new(233);
        assert_eq!([0; 4].map(|_: i32| twister.bits()), [2931216007, 3446561803, 2698614761, 748818161]);
        assert_eq!(twister.unit(), 0.5251745077282681);
    }
}
