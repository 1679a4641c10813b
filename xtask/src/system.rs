//! The distribution of this machine: how its packages are called, and who installs them.

use crate::process;

/// A package manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manager {
    /// Debian, Ubuntu and their relatives.
    Apt,
    /// Fedora, RHEL and their relatives.
    Dnf,
    /// openSUSE.
    Zypper,
    /// Arch and its relatives.
    Pacman,
    /// Alpine.
    Apk,
}

/// Identifiers of os-release(5), as `ID` or in `ID_LIKE`.
const FAMILIES: &[(&str, Manager)] = &[
    ("debian", Manager::Apt),
    ("ubuntu", Manager::Apt),
    ("fedora", Manager::Dnf),
    ("rhel", Manager::Dnf),
    ("centos", Manager::Dnf),
    ("opensuse", Manager::Zypper),
    ("suse", Manager::Zypper),
    ("arch", Manager::Pacman),
    ("alpine", Manager::Apk),
];

impl Manager {
    /// Returns the command that installs packages, up to their names.
    pub fn install(self) -> &'static str {
        match self {
            Manager::Apt => "apt-get install --yes --no-install-recommends",
            Manager::Dnf => "dnf install",
            Manager::Zypper => "zypper install",
            Manager::Pacman => "pacman -S --needed",
            Manager::Apk => "apk add",
        }
    }

    /// Returns whether a package is installed.
    pub fn has(self, package: &str) -> bool {
        match self {
            Manager::Apt => process::output("dpkg-query", &["--show", "--showformat=${db:Status-Status}", package])
                .is_ok_and(|status| status.trim() == "installed"),
            Manager::Dnf | Manager::Zypper => process::output("rpm", &["--query", "--whatprovides", package]).is_ok(),
            Manager::Pacman => process::output("pacman", &["--query", package]).is_ok(),
            Manager::Apk => process::output("apk", &["info", "--installed", package]).is_ok(),
        }
    }
}

/// What os-release(5) says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// Its name for people.
    pub name: String,
    /// Its package manager; `None` if the distribution is not known.
    pub manager: Option<Manager>,
}

impl System {
    /// Returns that of this machine.
    pub fn here() -> System {
        let places = ["/etc/os-release", "/usr/lib/os-release"];
        let text = places.iter().find_map(|place| std::fs::read_to_string(place).ok());
        System::read(&text.unwrap_or_default())
    }

    fn read(text: &str) -> System {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
        };
        let families = [value("ID"), value("ID_LIKE")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        // openSUSE's editions have an ID each: opensuse-tumbleweed, opensuse-leap.
        let is =
            |word: &str, family: &str| word == family || word.strip_prefix(family).is_some_and(|r| r.starts_with('-'));
        let manager = families
            .split_whitespace()
            .find_map(|word| FAMILIES.iter().find(|(family, _)| is(word, family)).map(|(_, manager)| *manager));
        let name = value("PRETTY_NAME").or_else(|| value("NAME"));
        System { name: name.unwrap_or_else(|| "a system without /etc/os-release".to_owned()), manager }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, manager: Option<Manager>) {
        assert_eq!(System::read(text), System { name: name.to_owned(), manager });
    }

    #[test]
    fn distributions_are_known_by_themselves_and_by_their_relatives() {
        check(
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
            "Debian GNU/Linux 12 (bookworm)",
            Some(Manager::Apt),
        );
        check("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "Linux Mint", Some(Manager::Apt));
        check(
            "NAME=\"Rocky Linux\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
            "Rocky Linux",
            Some(Manager::Dnf),
        );
        check("NAME=T\nID=\"opensuse-tumbleweed\"\n", "T", Some(Manager::Zypper));
        check("NAME=EndeavourOS\nID=endeavouros\nID_LIKE=arch\n", "EndeavourOS", Some(Manager::Pacman));
        check("NAME=\"Alpine Linux\"\nID=alpine\n", "Alpine Linux", Some(Manager::Apk));
    }

    #[test]
    fn others_are_not() {
        check("NAME=NixOS\nID=nixos\n", "NixOS", None);
        check("NAME=A\nID=archaic\n", "A", None);
        check("", "a system without /etc/os-release", None);
    }
}
