//! Open files, sent to another process over a socket.
//!
//! A descriptor that is inherited instead would have to be inheritable for a moment, in which another thread may start a
//! process that gets it, too.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// The byte that the descriptors go with.
const BYTE: u8 = b'D';

/// Room for the header of a control message and some descriptors. The type gives it the alignment of the header.
type Control = [u64; 16];

/// How many descriptors fit.
const MOST: usize = 8;

/// Sends descriptors, at most eight.
///
/// # Errors
/// When the other end is closed, or there are too many.
pub fn send_descriptors(socket: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    if descriptors.is_empty() || descriptors.len() > MOST {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let numbers: Vec<RawFd> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
    let length = u32::try_from(size_of::<RawFd>() * numbers.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let (mut byte, mut control) = ([BYTE], Control::default());
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut message = message(&mut part, &mut control);
    // SAFETY: CMSG_SPACE computes with its argument only.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(length) } as usize;
    // SAFETY: the message's control memory is live and has room for a header.
    let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    // SAFETY: the header lies in `control`, which is aligned for it and initialized.
    let header = unsafe { &mut *header };
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    // SAFETY: CMSG_LEN computes with its argument only.
    header.cmsg_len = unsafe { libc::CMSG_LEN(length) } as usize;
    // SAFETY: the header is live.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: `control` has room for MOST descriptors behind the header, and overlaps no other memory.
    unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr().cast::<u8>(), data, length as usize) };
    // SAFETY: everything that the message points to is live.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    match sent {
        1 => Ok(()),
        0 => Err(io::ErrorKind::WriteZero.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Receives `N` descriptors, which are closed when this process executes another program.
///
/// # Errors
/// When the other end is closed, or sends something else.
pub fn receive_descriptors<const N: usize>(socket: BorrowedFd<'_>) -> io::Result<[OwnedFd; N]> {
    let (mut byte, mut control) = ([0], Control::default());
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut message = message(&mut part, &mut control);
    let received = loop {
        // SAFETY: everything that the message points to is live.
        let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
        let error = io::Error::last_os_error();
        if received >= 0 || error.kind() != io::ErrorKind::Interrupted {
            break if received < 0 { Err(error) } else { Ok(received) };
        }
    }?;
    let mut descriptors = Vec::new();
    // SAFETY: the message is live, and its control memory as long as it says.
    let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    // SAFETY: a header that is not null lies in `control`, which is aligned for it and initialized.
    if let Some(header) = unsafe { header.as_ref() }
        && header.cmsg_level == libc::SOL_SOCKET
        && header.cmsg_type == libc::SCM_RIGHTS
    {
        // SAFETY: CMSG_LEN computes with its argument only.
        let head = unsafe { libc::CMSG_LEN(0) } as usize;
        let count = header.cmsg_len.saturating_sub(head) / size_of::<RawFd>();
        // SAFETY: the header is live.
        let data = unsafe { libc::CMSG_DATA(header) }.cast::<RawFd>();
        for at in 0..count {
            // SAFETY: the kernel has written this many descriptors behind the header.
            let place = unsafe { data.add(at) };
            // SAFETY: the place is inside the control memory; descriptors may be unaligned there.
            let number = unsafe { place.read_unaligned() };
            // SAFETY: the kernel has just made this descriptor for this process.
            descriptors.push(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
    let wrong = || io::Error::other("the supervisor did not send the files of a worker");
    if received != 1 || byte != [BYTE] {
        return Err(wrong());
    }
    descriptors.try_into().map_err(|_| wrong())
}

fn message(part: &mut libc::iovec, control: &mut Control) -> libc::msghdr {
    // SAFETY: all zeros is a valid message: no address, no data, no control memory.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>();
    message
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn files_arrive_in_their_order() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let (null, zero) = (File::open("/dev/null").unwrap(), File::open("/dev/zero").unwrap());
        send_descriptors(&near, &[null.as_fd(), zero.as_fd()]).unwrap();
        let [null, zero] = receive_descriptors::<2>(far.as_fd()).unwrap().map(File::from);
        let mut bytes = [1; 4];
        assert_eq!((&null).read(&mut bytes).unwrap(), 0);
        assert_eq!((&zero).read(&mut bytes).unwrap(), 4);
        assert_eq!(bytes, [0; 4]);
        // The bytes behind them are the next message's.
        (&near).write_all(&[7]).unwrap();
        far.read_exact(&mut bytes[..1]).unwrap();
        assert_eq!(bytes[0], 7);
    }

    #[test]
    fn another_number_of_files_is_refused() {
        let (near, far) = UnixStream::pair().unwrap();
        let null = File::open("/dev/null").unwrap();
        send_descriptors(&near, &[null.as_fd()]).unwrap();
        assert!(receive_descriptors::<2>(far.as_fd()).is_err());
        (&near).write_all(&[BYTE]).unwrap();
        assert!(receive_descriptors::<1>(far.as_fd()).is_err());
        drop(near);
        assert!(receive_descriptors::<1>(far.as_fd()).is_err());
    }
}
