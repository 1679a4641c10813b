//! Prints the dictionary that is committed as `fuzz/glsl.dict`.
#![forbid(unsafe_code)]

fn main() {
    println!("# All words of the language tables; made by `cargo run --bin dictionary`.");
    for word in fuzz::mutate::words() {
        println!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
    }
}
