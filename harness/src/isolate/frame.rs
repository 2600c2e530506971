//! Messages in a stream of bytes: a mark, the length, a checksum, and the message itself as postcard.
//!
//! Whatever else is written to the stream is noticed: it has no mark, or the checksum is wrong.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What every message begins with.
const MARK: [u8; 4] = *b"\xf5rt\n";
/// The mark, the length and the checksum.
const HEADER: usize = 12;
/// A longer message is none.
const LONGEST: usize = 1 << 30;

/// The stream holds something that is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbage;

/// A message as it stands in the stream.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    let mut bytes = postcard::to_extend(message, vec![0; HEADER])?;
    let length = (bytes.len() - HEADER) as u32;
    let checksum = crc32fast::hash(&bytes[HEADER..]);
    bytes[..4].copy_from_slice(&MARK);
    bytes[4..8].copy_from_slice(&length.to_le_bytes());
    bytes[8..HEADER].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// What has come of a stream and is not yet taken.
#[derive(Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    taken: usize,
}

impl Incoming {
    /// Takes in what came.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message, if it is there whole.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Garbage> {
        let bytes = &self.bytes[self.taken..];
        let marked = bytes.len().min(MARK.len());
        if bytes[..marked] != MARK[..marked] {
            return Err(Garbage);
        }
        if bytes.len() < HEADER {
            return Ok(None);
        }
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (length, checksum) = (number(4) as usize, number(8));
        if length > LONGEST {
            return Err(Garbage);
        }
        let Some(message) = bytes.get(HEADER..HEADER + length) else { return Ok(None) };
        if crc32fast::hash(message) != checksum {
            return Err(Garbage);
        }
        self.taken += HEADER + length;
        postcard::from_bytes(message).map(Some).map_err(|_| Garbage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in_however_they_are_cut() {
        let stream = [encode(&"one").unwrap(), encode(&"").unwrap(), encode(&"three").unwrap()].concat();
        let mut incoming = Incoming::default();
        let mut messages: Vec<String> = Vec::new();
        for byte in stream {
            incoming.extend(&[byte]);
            messages.extend(incoming.take().unwrap());
        }
        assert_eq!(messages, ["one", "", "three"]);
    }

    #[test]
    fn garbage_is_noticed_wherever_it_stands() {
        let message = encode(&"message").unwrap();
        let read = |bytes: &[u8]| {
            let mut incoming = Incoming::default();
            incoming.extend(bytes);
            let mut messages = 0;
            while incoming.take::<String>()?.is_some() {
                messages += 1;
            }
            Ok(messages)
        };
        assert_eq!(read(&message), Ok(1));
        assert_eq!(read(&[b"x", &message[..]].concat()), Err(Garbage));
        assert_eq!(read(&[&message[..], b"x"].concat()), Err(Garbage));
        for at in 0..message.len() {
            let mut changed = message.clone();
            changed[at] ^= 1;
            // A changed length may leave the message waiting for its end; it is not taken for another.
            assert_ne!(read(&changed), Ok(1), "byte {at}");
        }
        // In the middle of a message, which is still to be ended.
        let torn = [&message[..message.len() / 2], b"rubbish", &message[message.len() / 2..]].concat();
        assert_eq!(read(&torn), Err(Garbage));
    }
}
