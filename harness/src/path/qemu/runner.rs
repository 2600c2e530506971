//! The program that runs under qemu, as an ELF file made here: no cross compiler is needed.
//!
//! [`WORDS`] is what an assembler makes of `runner.s`, which is where to read it; a test assembles that again.

/// Where the runner's first word lies: behind the file's two headers. It is [`EMIT`], and `runner.s` calls it `IMAGE`.
const IMAGE: u64 = BASE + HEADERS;
/// The size of a request without code.
pub(super) const HEAD_SIZE: usize = 4096;
/// Where the code lies.
pub(super) const CODE: u64 = 0x60_0000;
/// Room for code.
pub(super) const CODE_SIZE: usize = 0x10_0000;
/// Where the runner's function lies that records what is emitted.
pub const EMIT: i64 = IMAGE as i64;
/// The size of a reply without what was emitted.
pub(super) const REPLY_SIZE: usize = 32;

/// Where the file lies in memory.
const BASE: u64 = 0x40_0000;
/// The sizes of the ELF header and of the one program header.
const HEADERS: u64 = 64 + 56;
/// The words of `runner.s` before its `start`.
const START: u64 = 9;
/// The end of the memory that it uses.
const END: u64 = 0x90_0000;

/// `runner.s`, assembled.
#[rustfmt::skip]
const WORDS: [u32; 85] = [
    0xd2a0_0e09, 0xf940_0d2a, 0xf140_415f, 0x5400_00a8, 0x8b0a_0d2b, 0xf900_1160, 0x9100_054a, 0xf900_0d2a,
    0xd65f_03c0, 0x1000_08c0, 0xd280_0001, 0xd280_1088, 0xd400_0001, 0xd280_0093, 0xaa13_03e0, 0x1000_0701,
    0xd280_0002, 0xd280_0103, 0xd280_10c8, 0xd400_0001, 0x9100_0673, 0xf100_327f, 0x54ff_ff01, 0xd2a0_1209,
    0x9100_013f, 0xd2a0_0a01, 0xd282_0002, 0x9400_0020, 0xd2a0_0a01, 0xf940_0022, 0xb400_0062, 0xd2a0_0c01,
    0x9400_001b, 0xd2a0_0e09, 0xf900_0d3f, 0xd2a0_0a00, 0x9100_2000, 0xd2a0_0c09, 0xd63f_0120, 0xaa00_03e1,
    0xd280_0000, 0xd280_0002, 0xd2a0_0e09, 0xa900_0520, 0xf900_0922, 0xf940_0d22, 0xd351_fc43, 0xb500_02a3,
    0xd37d_f042, 0x9100_8042, 0xaa09_03e1, 0xd280_0000, 0xd280_0808, 0xd400_0001, 0x17ff_ffe1, 0xf940_dc43,
    0xf940_0822, 0xaa03_03e1, 0x17ff_fff0, 0xd280_0000, 0xd280_2003, 0xd280_0004, 0xd280_0005, 0xd280_19e8,
    0xd400_0001, 0xeb02_001f, 0x5400_0041, 0xd65f_03c0, 0xd280_0000, 0xd280_0bc8, 0xd400_0001, 0x0040_0154,
    0x0000_0000, 0x4800_0004, 0x0000_0000, 0x0000_0000, 0x0000_0000, 0x0000_0000, 0x0000_0000, 0x0080_0000,
    0x0000_0000, 0x0000_0000, 0x0000_0000, 0x0001_0000, 0x0000_0000,
];

/// The file: an ELF header, one program header, the words. All of its memory may be read, written and executed.
pub(super) fn file() -> Vec<u8> {
    let size = HEADERS + size_of_val(&WORDS) as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec(); // 64 bits, little-endian
    file.resize(16, 0);
    let halves = |file: &mut Vec<u8>, halves: &[u16]| halves.iter().for_each(|half| file.extend(half.to_le_bytes()));
    let words = |file: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    let longs = |file: &mut Vec<u8>, longs: &[u64]| longs.iter().for_each(|long| file.extend(long.to_le_bytes()));
    halves(&mut file, &[2, 183]); // an executable, for aarch64
    words(&mut file, &[1]);
    longs(&mut file, &[IMAGE + 4 * START, 64, 0]); // the entry, where the program header is; no sections
    words(&mut file, &[0]);
    halves(&mut file, &[64, 56, 1, 0, 0, 0]); // the headers' sizes, one program header
    words(&mut file, &[1, 7]); // to be loaded: readable, writable, executable
    longs(&mut file, &[0, BASE, BASE, size, END - BASE, 0x1000]); // from where, to where, how much, page size
    words(&mut file, &WORDS);
    file
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_words_are_what_an_assembler_makes_of_the_source() {
        let folder = tempfile::tempdir().unwrap();
        let object = folder.path().join("runner.o");
        let assemble = |name: &str| {
            let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/path/qemu/runner.s");
            Command::new(name).args(["-triple=aarch64", "-filetype=obj", "-o"]).arg(&object).arg(source).status()
        };
        let status = assemble("llvm-mc-22").or_else(|_| assemble("llvm-mc")).expect("llvm-mc: run scripts/setup");
        assert!(status.success());
        let object = std::fs::read(object).unwrap();
        let words: Vec<u8> = WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
        // The text section follows the ELF header; nothing is left to a linker, so these are its bytes as they are.
        assert_eq!(&object[64..64 + words.len()], words);
        let text = include_str!("runner.s");
        let constants = [("IMAGE", IMAGE), ("HEAD_SIZE", HEAD_SIZE as u64), ("CODE", CODE), ("STACK_END", END)];
        for (name, value) in constants {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(&format!(".equ {name}, ")));
            let (text, radix) = line.map(|line| line.strip_prefix("0x").map_or((line, 10), |hex| (hex, 16))).unwrap();
            assert_eq!(u64::from_str_radix(text, radix), Ok(value), "{name}");
        }
    }
}
