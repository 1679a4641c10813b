//! Installs the Debian package in a new, minimal system and uses it there as an ordinary user.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use super::GUILTY;
use crate::error::{Context, Error, Result};
use crate::{process, setup};

/// The release of Debian that is installed.
const RELEASE: &str = "bookworm";

/// Runs in the new system, with its own mounts. Lines that begin with `==` are timed.
const SCRIPT: &str = r#"
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
as_user() { su user --login --command "$1"; }
echo "== apt-get update"
apt-get update --quiet=2
echo "== install the package"
apt-get install --quiet=2 --yes --no-install-recommends /tmp/afterimage.deb >/tmp/apt.log
useradd --create-home user
echo "== afterimage demo"
as_user 'afterimage demo --text --output demo.aftr'
echo "== install programs to record"
apt-get install --quiet=2 --yes --no-install-recommends mesa-utils xvfb man-db >/tmp/apt.log
echo "== record es2gears"
# timeout(1) ends the program and the recorder as Ctrl-C would, and says so with 124.
as_user 'Xvfb :7 -screen 0 640x480x24 >/dev/null 2>&1 & server=$!; sleep 2
    DISPLAY=:7 timeout --signal INT 4 afterimage record --hash-frames -- es2gears_x11 || test $? = 124
    kill $server; afterimage info es2gears_x11.aftr'
echo "== replay es2gears"
as_user 'afterimage replay es2gears_x11.aftr --verify'
echo "== debug es2gears"
as_user 'printf "info inputs\nnext\n" | afterimage debug es2gears_x11.aftr --pixel 110,160 --batch -'
echo "== completions and manual"
as_user 'man --pager=cat afterimage-record | head -n 4'
as_user 'bash -c ". /usr/share/bash-completion/completions/afterimage; complete -p afterimage"'
echo "== remove the package"
apt-get remove --quiet=2 --yes afterimage >/tmp/apt.log
! test -e /usr/bin/afterimage && ! test -e /usr/lib/afterimage
"#;

/// What must be printed along the way.
const EXPECTED: [&str; 4] = [GUILTY, "frames: ", "[GPU equal]", "-F _afterimage"];

/// Makes a system in a folder, installs the package there and uses it.
pub fn run(package: &Path, folder: &Path) -> Result<()> {
    if setup::privilege() != Some(None) {
        return Err(Error::refused("a new system can be made and entered by root only"));
    }
    if !process::exists("debootstrap") {
        return Err(Error::refused("a new system is made by debootstrap; install Debian's package debootstrap"));
    }
    println!("Making a minimal Debian system ({RELEASE}) in {} (some minutes).", process::shown(folder));
    let begin = Instant::now();
    let system = folder.to_string_lossy();
    process::output("debootstrap", &["--variant=minbase", RELEASE, &system])?;
    println!("{:6.1} s  debootstrap", begin.elapsed().as_secs_f64());
    std::fs::copy(package, folder.join("tmp/afterimage.deb")).context("cannot copy the package")?;
    std::fs::write(folder.join("tmp/trial.sh"), SCRIPT).context("cannot write the script")?;
    // The mounts are seen in there only, and end with the script.
    let enter =
        "mount --rbind /dev \"$0/dev\" && mount -t proc proc \"$0/proc\" && exec chroot \"$0\" sh /tmp/trial.sh 2>&1";
    let mut command = process::command("unshare", &["--mount", "--pid", "--fork", "sh", "-c", enter, &system]);
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start unshare")?;
    let output = child.stdout.take().ok_or_else(|| Error::new("unshare has no output"))?;
    let mut missing: Vec<&str> = EXPECTED.to_vec();
    let mut times = String::new();
    for line in BufReader::new(output).lines() {
        let line = line.context("cannot read what the trial prints")?;
        let guilty = line.contains(GUILTY) && missing.contains(&GUILTY);
        missing.retain(|expected| !line.contains(expected));
        if line.starts_with("==") || guilty {
            let what = if guilty { "the guilty line is on the screen" } else { line.trim_start_matches("== ") };
            times += &format!("{:6.1} s  {what}\n", begin.elapsed().as_secs_f64());
        }
        println!("{line}");
    }
    let status = child.wait().context("cannot wait for the trial")?;
    println!("\nFrom an empty system with the package at hand:\n{times}{:6.1} s  end", begin.elapsed().as_secs_f64());
    if !status.success() {
        return Err(Error::new(format!("the trial failed ({status}); the system is in {system}")));
    }
    if !missing.is_empty() {
        return Err(Error::new(format!("the trial did not print {missing:?}; the system is in {system}")));
    }
    super::remove(folder)
}
