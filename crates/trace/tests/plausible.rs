//! Files that claim to hold more than a recording of their size can hold.

use api::{COMMANDS, id};
use trace::{Content, Origin, ReadError, Reader, Writer};

fn writer() -> Writer<Vec<u8>> {
    Writer::new(Vec::new(), COMMANDS, &Origin::here()).unwrap()
}

fn finish(writer: Writer<Vec<u8>>) -> Vec<u8> {
    writer.finish().unwrap().1
}

#[test]
fn millions_of_calls_in_a_few_kilobytes_are_refused() {
    let mut writer = writer();
    for number in 0..6_000_000 {
        writer.enter(0, id::glFlush, false, &[], &[]).unwrap();
        writer.leave(0, 0, &[], number + 1).unwrap();
    }
    let bytes = finish(writer);
    assert!(bytes.len() < 1 << 17, "{} bytes", bytes.len());
    let error = Reader::named(Box::new(bytes), "t.aftr", COMMANDS).err().expect("the file is refused");
    assert!(matches!(error, ReadError::Implausible { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("t.aftr has ") && text.contains("claims to hold 6000000 calls"), "{text}");
}

#[test]
fn a_blob_that_a_small_file_cannot_hold_is_lost() {
    let zeros = vec![0; (256 << 20) + 1];
    let mut writer = writer();
    for bytes in [&zeros[..], &zeros[..1 << 20]] {
        let contents = [Content { param: 2, bytes, digest_only: false }];
        let args = [0, bytes.len() as u64, 1, 0];
        let number = writer.enter(0, id::glBufferData, false, &args, &contents).unwrap();
        writer.leave(0, 0, &[], number + 1).unwrap();
    }
    drop(zeros);
    let bytes = finish(writer);
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let reader = Reader::new(Box::new(bytes), COMMANDS).unwrap();
    let error = reader.blob(0).unwrap_err();
    assert!(matches!(error, ReadError::LostBlob { number: 0, .. }), "{error:?}");
    assert!(error.to_string().contains("not plausible"), "{error}");
    // The other blob is not lost with it.
    assert_eq!(reader.blob(1).unwrap().len(), 1 << 20);
}
