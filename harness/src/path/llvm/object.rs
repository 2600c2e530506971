//! From an ELF object in memory to machine code in an arena: a linker for one small function.
//!
//! The sections that are to be loaded (code, constant tables) are laid out one after the other; behind them stand stubs
//! for the host's functions that the code may call, since they lie further away than a 32-bit displacement reaches.

use std::io;

use inkwell::memory_buffer::MemoryBuffer;
use object::elf;
use object::read::elf::{ElfFile64, ElfSymbol64};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags};

use super::Stop;
use super::emit::{EMIT, FUNCTION, RAISE_TRAP};
use crate::path::{FaultKind, Stage, Unsupported, native};

/// `movabs r11, address; jmp r11`.
const STUB: [u8; 13] = [0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3];
/// Where a stub's address stands in it.
const STUB_ADDRESS: std::ops::Range<usize> = 2..10;

/// The host's functions by name.
fn host() -> [(&'static str, *const ()); 5] {
    let [memset, memcpy, memmove] = native::LIBRARY;
    let own = [(RAISE_TRAP, native::raise_trap as *const ()), (EMIT, native::emit as *const ())];
    [own[0], own[1], memset, memcpy, memmove]
}

/// An object that can be placed.
pub struct Loaded {
    /// The sections and the stubs, before relocation.
    image: Vec<u8>,
    /// Where the function begins.
    pub entry: usize,
    /// How many bytes of it are code.
    pub code: usize,
    relocations: Vec<Relocation>,
}

/// `*place = target + addend`, less the place's own address if relative.
struct Relocation {
    place: usize,
    target: usize,
    addend: i64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Relative32,
    Absolute64,
}

impl Kind {
    /// How many bytes it writes.
    fn width(self) -> usize {
        match self {
            Kind::Relative32 => 4,
            Kind::Absolute64 => 8,
        }
    }
}

impl Loaded {
    /// Reads an object. A symbol or a kind of relocation that is not known here is *unsupported*.
    pub fn read(buffer: &MemoryBuffer) -> Result<Loaded, Stop> {
        let file: ElfFile64 = ElfFile64::parse(buffer.as_slice()).map_err(broken)?;
        let mut image = Vec::new();
        let mut starts = std::collections::HashMap::new();
        let mut code = 0;
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            if !sh_flags.contains(elf::SHF_ALLOC) || section.size() == 0 {
                continue;
            }
            if sh_flags.contains(elf::SHF_EXECINSTR) {
                code += section.size() as usize;
            }
            pad(&mut image, section.align());
            starts.insert(section.index(), image.len());
            image.extend_from_slice(section.data().map_err(broken)?);
        }
        let sections = image.len();
        let stubs = host().map(|(name, function)| {
            pad(&mut image, 16);
            let stub = image.len();
            image.extend_from_slice(&STUB);
            image[stub..][STUB_ADDRESS].copy_from_slice(&(function as u64).to_le_bytes());
            (name, stub)
        });

        let address = |symbol: &ElfSymbol64| match symbol.section_index() {
            Some(section) => starts.get(&section).map(|start| start + symbol.address() as usize),
            None => stubs.iter().find(|(name, _)| symbol.name() == Ok(*name)).map(|(_, stub)| *stub),
        };
        let mut relocations = Vec::new();
        for section in file.sections() {
            let Some(&start) = starts.get(&section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    return unsupported("relocation target");
                };
                let symbol = file.symbol_by_index(index).map_err(broken)?;
                let Some(target) = address(&symbol) else {
                    return unsupported(&format!("symbol {}", symbol.name().unwrap_or("?")));
                };
                let kind = match relocation.flags() {
                    RelocationFlags::Elf { r_type: elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 } => Kind::Relative32,
                    RelocationFlags::Elf { r_type: elf::R_X86_64_64 } => Kind::Absolute64,
                    other => return unsupported(&format!("relocation {other:?}")),
                };
                let place = within(sections, start, offset, kind)
                    .ok_or_else(|| broken("a relocation lies outside the sections"))?;
                relocations.push(Relocation { place, target, addend: relocation.addend(), kind });
            }
        }
        let entry = file.symbols().find(|symbol| symbol.name() == Ok(FUNCTION)).and_then(|symbol| address(&symbol));
        let entry = entry.ok_or_else(|| broken("the object has no function"))?;
        Ok(Loaded { image, entry, code, relocations })
    }

    /// Places the code in an arena.
    pub fn place<'a>(&self, arena: &'a mut native::Arena) -> io::Result<native::Code<'a>> {
        arena.place(self.image.len(), |memory, address| {
            memory.copy_from_slice(&self.image);
            for relocation in &self.relocations {
                let place = &mut memory[relocation.place..][..relocation.kind.width()];
                let value = (relocation.target as i64).wrapping_add(relocation.addend);
                match relocation.kind {
                    Kind::Relative32 => {
                        let relative = (value - relocation.place as i64) as i32;
                        place.copy_from_slice(&relative.to_le_bytes());
                    }
                    Kind::Absolute64 => {
                        place.copy_from_slice(&value.wrapping_add(address as i64).to_le_bytes());
                    }
                }
            }
        })
    }
}

/// Where a relocation of a section that starts at `start` writes, if all of it lies before `end`.
fn within(end: usize, start: usize, offset: u64, kind: Kind) -> Option<usize> {
    let place = start.checked_add(usize::try_from(offset).ok()?)?;
    (place.checked_add(kind.width())? <= end).then_some(place)
}

fn pad(image: &mut Vec<u8>, align: u64) {
    image.resize(image.len().next_multiple_of(align.max(1) as usize), 0);
}

fn broken(message: impl ToString) -> Stop {
    Stop::fault(Stage::Compile, FaultKind::Invalid, &format!("the object is broken: {}", message.to_string()))
}

fn unsupported<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Unsupported(Unsupported { stage: Stage::Compile, reason: what.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relocation_ends_before_the_stubs() {
        for (kind, last) in [(Kind::Relative32, 28), (Kind::Absolute64, 24)] {
            assert_eq!(within(32, 16, last - 16, kind), Some(last as usize));
            assert_eq!(within(32, 16, last - 16 + 1, kind), None);
            assert_eq!(within(32, 16, u64::MAX - 16, kind), None);
        }
    }
}
