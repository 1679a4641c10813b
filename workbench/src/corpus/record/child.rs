//! Runs other programs to completion or to a timeout.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

/// The result of a program.
pub struct Finished {
    /// The exit status as a shell reports it, 128 plus the signal's number if one ended it; `None` if it was killed by
    /// us.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// An end for programs that run for ever: a signal to the process of this name, after some time.
pub struct Stop<'a> {
    /// Time from the start of the program.
    pub after: Duration,
    /// The program's file name; it is the started process, or a child of it.
    pub name: &'a str,
    /// The signal's name: `TERM`, or `KILL` where that one leads to nothing good.
    pub signal: &'a str,
}

/// Runs a command in its own process group. Its output goes to files in `folder`, not through pipes, because a pipe
/// stays open as long as any descendant lives.
pub fn finish(
    command: &mut Command,
    folder: &Path,
    timeout: Duration,
    stop: Option<&Stop>,
) -> anyhow::Result<Finished> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let begin = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    let status = wait(&mut child, begin, timeout, stop)?;
    let read = |path: &Path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Finished { status: status.map(number), stdout: read(&out)?, stderr: read(&err)? })
}

fn wait(
    child: &mut Child,
    begin: Instant,
    timeout: Duration,
    stop: Option<&Stop>,
) -> anyhow::Result<Option<ExitStatus>> {
    let mut stopped = false;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            // Remaining processes of its group are killed with it.
            signal("KILL", &format!("-{}", child.id()));
            return Ok(Some(status));
        }
        if let Some(stop) = stop.filter(|stop| !stopped && begin.elapsed() > stop.after) {
            if let Some(process) = find(child.id(), stop.name) {
                signal(stop.signal, &process.to_string());
            }
            stopped = true;
        }
        if begin.elapsed() > timeout {
            signal("KILL", &format!("-{}", child.id()));
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Returns the process of a name among one process and its children.
fn find(parent: u32, name: &str) -> Option<u32> {
    // The kernel keeps fifteen characters of a name.
    let short: String = name.chars().take(15).collect();
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter_map(|process: u32| Some((process, stat(process)?))).find_map(|(process, (found, its_parent))| {
        (found == short && (process == parent || its_parent == parent)).then_some(process)
    })
}

/// Returns name and parent of a process, from `/proc/PID/stat`: `12 (name) S 11 …`, where a name may contain
/// parentheses.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (front, rest) = text.rsplit_once(')')?;
    let (_, name) = front.split_once('(')?;
    Some((name.to_owned(), rest.split_whitespace().nth(1)?.parse().ok()?))
}

/// Sends a signal to a process, or to a group if the number is negative; it may have ended already.
fn signal(name: &str, target: &str) {
    let script = format!("kill -s {name} -- {target} 2> /dev/null");
    // Nothing can be done if the shell does not start, and nothing depends on it.
    let _ = Command::new("sh").args(["-c", &script]).status();
}

fn number(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, stop: Option<&Stop>, expected: Option<i32>, printed: &str) {
        let name: String = script.chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = std::env::temp_dir().join(format!("afterimage-child-{}-{name}", std::process::id()));
        let mut command = Command::new("sh");
        let finished = finish(command.args(["-c", script]), &folder, Duration::from_millis(1500), stop).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((finished.status, finished.stdout.as_str()), (expected, printed));
    }

    #[test]
    fn programs_end_or_are_killed() {
        check("echo one; exit 3", None, Some(3), "one\n");
        check("kill -SEGV $$", None, Some(139), "");
        check("echo two; sleep 100", None, None, "two\n");
        // A surviving descendant does not delay the result.
        check("sleep 100 & echo three", None, Some(0), "three\n");
        let stop = |signal| Stop { after: Duration::from_millis(100), name: "sleep", signal };
        check("sleep 50; echo $?", Some(&stop("TERM")), Some(0), "143\n");
        check("sleep 60; echo $?", Some(&stop("KILL")), Some(0), "137\n");
    }
}
