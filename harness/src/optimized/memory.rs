//! Memory: a few objects, each at an address of its own, byte by byte.
//!
//! Addresses are numbers, and which object one lies in can be read off it, so that comparisons and arithmetic on
//! addresses need no rules of their own. Where a pointer came from is not followed: a pointer that was computed from
//! one object may reach another, which LLVM calls undefined. That hides faults and makes no false ones.

use super::Overlap;
use super::meaning::Lane;

/// A byte, or poison.
type Byte = Option<u8>;

const TO_POISON: &str = "writes to poison";

/// A number of bytes; more than there can be is too many as well.
fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The objects. The first is the inputs, then come the tables, then what the run allocates.
pub(super) struct Memory {
    objects: Vec<Object>,
}

struct Object {
    bytes: Vec<Byte>,
    is_constant: bool,
}

/// An object's distance from the next.
const SPACING: u32 = 32;
/// The inputs are aligned to 8 bytes and not to 16: an array of 64-bit numbers is promised to be so and no more. What
/// the compiler itself puts into memory is aligned as it likes.
const INPUTS: u64 = (1 << SPACING) + 8;

impl Memory {
    /// Memory with these inputs and tables.
    pub(super) fn new(inputs: &[i64], tables: &[Vec<Byte>]) -> Memory {
        let inputs = inputs.iter().flat_map(|input| input.to_le_bytes());
        let constant = |bytes: Vec<Byte>| Object { bytes, is_constant: true };
        let mut objects = vec![constant(inputs.map(Some).collect())];
        objects.extend(tables.iter().map(|table| constant(table.clone())));
        Memory { objects }
    }

    /// The address of an object.
    pub(super) fn address(object: usize) -> u64 {
        if object == 0 { INPUTS } else { (object as u64 + 1) << SPACING }
    }

    /// Allocates bytes that hold whatever they hold; gives their address.
    pub(super) fn allocate(&mut self, bytes: impl Iterator<Item = u8>) -> u64 {
        self.objects.push(Object { bytes: bytes.map(Some).collect(), is_constant: false });
        Memory::address(self.objects.len() - 1)
    }

    /// The object that an address lies in or right behind, and where in it.
    fn locate(&self, address: u64) -> Option<(usize, usize)> {
        let object = ((address >> SPACING) as usize).checked_sub(1)?;
        let offset = address.checked_sub(Memory::address(object))? as usize;
        (offset <= self.objects.get(object)?.bytes.len()).then_some((object, offset))
    }

    /// Whether two addresses lie in one object, or right behind it.
    pub(super) fn is_one_object(&self, a: u64, b: u64) -> bool {
        match (self.locate(a), self.locate(b)) {
            (Some((a, _)), Some((b, _))) => a == b,
            _ => false,
        }
    }

    /// The bytes at an address.
    fn bytes(&mut self, address: u64, count: usize, align: u64) -> Result<&mut [Byte], &'static str> {
        if !address.is_multiple_of(align.clamp(1, 16)) {
            return Err("access of an address that is not aligned as promised");
        }
        let (object, offset) = self.locate(address).ok_or("access outside of all objects")?;
        self.objects[object]
            .bytes
            .get_mut(offset..offset.saturating_add(count))
            .ok_or("access past the end of an object")
    }

    /// Fills so many bytes at an address with one; no bytes at any address are none.
    pub(super) fn fill(&mut self, to: Option<u64>, byte: Byte, count: u64) -> Result<(), &'static str> {
        if count > 0 {
            self.writable(to, count)?.fill(byte);
        }
        Ok(())
    }

    /// Copies so many bytes from an address to another.
    pub(super) fn copy(
        &mut self,
        to: Option<u64>,
        from: Option<u64>,
        count: u64,
        overlap: Overlap,
    ) -> Result<(), &'static str> {
        if count == 0 {
            return Ok(());
        }
        let (to, from) = (to.ok_or(TO_POISON)?, from.ok_or("copies from poison")?);
        if overlap == Overlap::Undefined && to != from && to.abs_diff(from) < count {
            return Err("memcpy between places that overlap");
        }
        let bytes = self.bytes(from, size(count), 1)?.to_vec();
        self.writable(Some(to), count)?.copy_from_slice(&bytes);
        Ok(())
    }

    /// So many bytes to be written at an address.
    fn writable(&mut self, to: Option<u64>, count: u64) -> Result<&mut [Byte], &'static str> {
        let to = to.ok_or(TO_POISON)?;
        if self.locate(to).is_some_and(|(object, _)| self.objects[object].is_constant) {
            return Err("store to constant memory");
        }
        self.bytes(to, size(count), 1)
    }

    /// Reads lanes of so many bits. A lane is poison if one of its bytes is, or if bits are set past its width.
    pub(super) fn load(&mut self, address: u64, lanes: &mut [Lane], bits: u32, align: u64) -> Result<(), &'static str> {
        let size = bits.div_ceil(8) as usize;
        let bytes = self.bytes(address, size * lanes.len(), align)?;
        for (lane, bytes) in lanes.iter_mut().zip(bytes.chunks(size)) {
            let whole = bytes.iter().rev().try_fold(0, |whole, byte| Some(whole << 8 | u128::from((*byte)?)));
            *lane = whole.filter(|&whole| whole <= super::mask(bits));
        }
        Ok(())
    }

    /// Writes lanes of so many bits.
    pub(super) fn store(&mut self, address: u64, lanes: &[Lane], bits: u32, align: u64) -> Result<(), &'static str> {
        let size = bits.div_ceil(8) as usize;
        let is_constant = self.locate(address).is_some_and(|(object, _)| self.objects[object].is_constant);
        let bytes = self.bytes(address, size * lanes.len(), align)?;
        if is_constant {
            return Err("store to constant memory");
        }
        for (lane, bytes) in lanes.iter().zip(bytes.chunks_mut(size)) {
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = lane.map(|lane| (lane >> (8 * index)) as u8);
            }
        }
        Ok(())
    }
}
