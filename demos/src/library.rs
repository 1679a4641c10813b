//! C libraries that are loaded at run time.

/// Defines a loaded library: a struct with a pointer to each function, found by its name.
///
/// The library is never unloaded while the struct lives, so the pointers stay valid.
macro_rules! library {
    ($library:ident, $file:literal, $missing:literal; $( $name:ident = $symbol:literal ( $($type:ty),* $(,)? ) -> $result:ty; )*) => {
        /// The loaded library and its functions.
        pub(crate) struct $library {
            $( $name: unsafe extern "C" fn($($type),*) -> $result, )*
            _library: libloading::Library,
        }

        impl $library {
            fn load() -> anyhow::Result<$library> {
                use anyhow::Context as _;
                // SAFETY: loading a system library runs only its constructors, which have no preconditions.
                let library = unsafe { libloading::Library::new($file) };
                let library = library.context($missing)?;
                Ok($library {
                    $( $name: {
                        type Function = unsafe extern "C" fn($($type),*) -> $result;
                        // SAFETY: the library's header declares the function with this C signature.
                        let found = unsafe { library.get::<Function>(concat!($symbol, "\0").as_bytes()) };
                        *found.context(concat!($file, " lacks the function ", $symbol))?
                    }, )*
                    _library: library,
                })
            }
        }
    };
}

pub(crate) use library;
