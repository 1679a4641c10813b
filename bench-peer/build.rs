//! Compiles the shim and links Debian's glslang.

fn main() {
    println!("cargo:rerun-if-changed=src/peer.cpp");
    cc::Build::new().cpp(true).std("c++17").file("src/peer.cpp").compile("peer");
    for library in [
        "glslang",
        "MachineIndependent",
        "GenericCodeGen",
        "OGLCompiler",
        "OSDependent",
        "glslang-default-resource-limits",
    ] {
        println!("cargo:rustc-link-lib=static={library}");
    }
    // Debian keeps libraries in a folder named after the machine, where the linker of C++ looks but ours does not.
    let machine = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    println!("cargo:rustc-link-search=native=/usr/lib/{machine}-linux-gnu");
    println!("cargo:rustc-link-lib=stdc++");
}
