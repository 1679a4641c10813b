//! Images, which NumPy takes as arrays without a copy.

use afterimage::{ElementType, Picture};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

/// An image. `image.array` is a NumPy array: height x width x components, with a first dimension for depth or layers if
/// there are several.
#[pyclass(frozen, get_all, module = "afterimage")]
pub struct Image {
    /// Width in pixels.
    width: u32,
    /// Height in pixels.
    height: u32,
    /// Depth in pixels, or layers.
    depth: u32,
    /// The level of detail.
    level: u32,
    /// The target, such as "GL_TEXTURE_2D"; empty for pictures of the framebuffer.
    target: String,
    /// The format of pixels, such as "GL_RGBA"; empty for compressed images.
    format: String,
    /// The type of pixels, such as "GL_FLOAT"; the internal format of compressed images.
    pixel_type: String,
    /// The pixels.
    data: Py<PyBytes>,
    /// The type of elements as NumPy names it, such as "|u1".
    typestr: &'static str,
    /// The shape of the array. Images that are compressed, or put several components into one number, are plain bytes.
    shape: Vec<usize>,
}

impl Image {
    /// A picture, with the top row first.
    pub fn of_picture(py: Python<'_>, picture: &Picture) -> Image {
        let row = picture.width as usize * 4;
        let rows: Vec<u8> = picture.rgba.chunks_exact(row.max(1)).rev().flatten().copied().collect();
        Image {
            width: picture.width,
            height: picture.height,
            depth: 1,
            level: 0,
            target: String::new(),
            format: "GL_RGBA".to_owned(),
            pixel_type: "GL_UNSIGNED_BYTE".to_owned(),
            data: PyBytes::new(py, &rows).unbind(),
            typestr: "|u1",
            shape: vec![picture.height as usize, picture.width as usize, 4],
        }
    }

    /// An image of an object, with the rows in GL's order.
    pub fn of(py: Python<'_>, image: &afterimage::Image) -> Image {
        let [width, height, depth] = image.size;
        let sides = [depth, height, width].map(|side| side as usize);
        let (typestr, shape) = match image.elements {
            None => ("|u1", vec![image.bytes.len()]),
            Some((components, element)) => {
                let planes = sides.into_iter().skip(usize::from(depth == 1));
                // One number a pixel needs no dimension of its own.
                let shape = planes.chain(Some(components as usize).filter(|count| *count > 1));
                (type_string(element), shape.collect())
            }
        };
        Image {
            width,
            height,
            depth,
            level: image.level,
            target: image.target.clone(),
            format: image.format.clone(),
            pixel_type: image.pixel_type.clone(),
            data: PyBytes::new(py, &image.bytes).unbind(),
            typestr,
            shape,
        }
    }
}

#[pymethods]
impl Image {
    /// What NumPy's asarray() asks for.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", self.typestr)?;
        interface.set_item("data", &self.data)?;
        Ok(interface)
    }

    /// The pixels as a NumPy array that cannot be written to; NumPy has to be installed.
    #[getter]
    fn array<'py>(this: &Bound<'py, Image>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("numpy")?.call_method1("asarray", (this,))
    }

    fn __repr__(&self) -> String {
        format!("<Image {}x{}x{} {} {}>", self.width, self.height, self.depth, self.format, self.pixel_type)
    }
}

/// Drivers and NumPy are on the same machine, so the order of bytes is its own.
fn type_string(element: ElementType) -> &'static str {
    match element {
        ElementType::I8 => "|i1",
        ElementType::U8 => "|u1",
        ElementType::I16 => "=i2",
        ElementType::U16 => "=u2",
        ElementType::I32 => "=i4",
        ElementType::U32 => "=u4",
        ElementType::F32 => "=f4",
    }
}
