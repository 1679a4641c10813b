use super::*;

fn shot(width: u32, height: u32, rgba: impl Fn(u32, u32) -> [u8; 4]) -> Shot {
    let rgba = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| rgba(x, y)).collect();
    let picture = Picture { width, height, rgba };
    Shot { window: Lens::default().window(&picture), picture: Arc::new(picture), pixel: None, title: String::new() }
}

#[test]
fn pictures_keep_their_shape_and_lie_in_the_middle() {
    let wide = shot(480, 270, |_, _| [0; 4]).window;
    assert_eq!(place(wide, Rect::new(10, 5, 64, 40)), Rect::new(10, 16, 64, 18));
    assert_eq!(place(wide, Rect::new(0, 0, 100, 9)), Rect::new(34, 0, 32, 9));
    assert_eq!(place(wide, Rect::new(3, 3, 0, 9)).area(), 0);
}

#[test]
fn cells_and_pixels_are_each_others() {
    let whole = shot(480, 270, |_, _| [0; 4]).window;
    let area = Rect::new(10, 16, 64, 18);
    assert_eq!(pixel_at(whole, area, 10, 16), Some([3, 262]));
    assert_eq!(pixel_at(whole, area, 73, 33), Some([476, 7]));
    assert_eq!(pixel_at(whole, area, 9, 16), None);
}

#[test]
fn rows_are_turned_round_and_pixels_averaged() {
    // Below red, above blue and green side by side.
    let shot =
        shot(
            2,
            2,
            |x, y| if y == 0 { [255, 0, 0, 255] } else { [0, 255 * u8::from(x == 0), 255 * u8::from(x == 1), 255] },
        );
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    blocks(&shot, buffer.area, &mut buffer);
    assert_eq!(buffer[(0, 0)].fg, Color::Rgb(0, 127, 127));
    assert_eq!(buffer[(0, 0)].bg, Color::Rgb(255, 0, 0));
}

#[test]
fn the_marked_pixel_is_where_it_is_clicked() {
    let mut shot = shot(480, 270, |_, _| [0; 4]);
    let area = Rect::new(0, 0, 64, 18);
    shot.pixel = pixel_at(shot.window, area, 20, 7);
    let mut buffer = Buffer::empty(area);
    blocks(&shot, area, &mut buffer);
    let cell = &buffer[(20, 7)];
    assert!([cell.fg, cell.bg].contains(&Color::Rgb(MARK[0], MARK[1], MARK[2])));
}

#[test]
fn a_part_of_a_picture_is_enlarged_with_edges() {
    // Columns of their own grey; the part begins at the fifth.
    let mut shot = shot(32, 32, |x, _| [u8::try_from(x).unwrap(), 0, 0, 255]);
    shot.window = Window { x: 4, y: 0, width: 4, height: 4 };
    let row: Vec<u8> = scaled(&shot, 8, 8)[..8].iter().map(|[red, ..]| *red).collect();
    assert_eq!(row, [4, 4, 5, 5, 6, 6, 7, 7]);
    let area = Rect::new(0, 0, 8, 4);
    for x in 4..8 {
        for y in 0..4 {
            let cell = cell_of(shot.window, area, [x, y]).unwrap();
            assert_eq!(pixel_at(shot.window, area, cell.0, cell.1), Some([x, y]));
        }
    }
    shot.pixel = Some([20, 20]);
    let mut pixels = scaled(&shot, 8, 8);
    let before = pixels.clone();
    mark_pixel(&shot, &mut pixels, (8, 8), 0);
    assert_eq!(pixels, before, "the marked pixel is outside");
}

#[test]
fn without_colours_brightness_is_shown_and_the_pixel_turned_round() {
    let mut shot = shot(10, 1, |x, _| [u8::try_from(x * 255 / 9).unwrap(); 4]);
    shot.pixel = Some([3, 0]);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
    shades(&shot, buffer.area, &mut buffer);
    let row: String = (0..10).map(|x| buffer[(x, 0)].symbol()).collect();
    assert_eq!(row, " .:X=+*#%@");
    assert!(buffer[(3, 0)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn base64_is_as_rfc_4648_has_it() {
    let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
    assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
}

/// Sixels back to pixels, as DEC's manual for the VT330 describes them.
fn decode(text: &str, wide: usize, high: usize) -> Vec<[u8; 3]> {
    let body = text.split_once('q').unwrap().1.trim_end_matches("\x1b\\");
    let mut palette = vec![[0_u8; 3]; 256];
    let mut pixels = vec![[1, 2, 3]; wide * high];
    let (mut x, mut y, mut color, mut repeat) = (0, 0, 0, 1);
    let mut rest = body;
    let number = |rest: &mut &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value: usize = rest[..end].parse().unwrap();
        *rest = &rest[end..];
        value
    };
    while let Some(c) = rest.chars().next() {
        rest = &rest[1..];
        match c {
            '"' => rest = &rest[rest.find('#').unwrap()..],
            '#' => {
                color = number(&mut rest);
                if rest.starts_with(";2;") {
                    rest = &rest[2..];
                    palette[color] = [0; 3].map(|_| {
                        rest = &rest[1..];
                        u8::try_from(number(&mut rest) * 255 / 100).unwrap()
                    });
                }
            }
            '!' => repeat = number(&mut rest),
            '$' => x = 0,
            '-' => (x, y) = (0, y + 6),
            letter => {
                for _ in 0..std::mem::replace(&mut repeat, 1) {
                    for bit in (0..6).filter(|bit| (letter as u8 - 63) >> bit & 1 == 1) {
                        pixels[(y + bit) * wide + x] = palette[color];
                    }
                    x += 1;
                }
            }
        }
    }
    pixels
}

#[test]
fn sixels_come_back_as_the_colours_they_were_made_of() {
    let (wide, high) = (37_u32, 15_u32);
    let level = |number: u32| u8::try_from(number % 6 * 51).unwrap();
    let pixels: Vec<[u8; 3]> = (0..wide * high).map(|at| [level(at / 9), level(at / 7), level(at / wide)]).collect();
    let back = decode(&sixel::sixel(&pixels, wide, high, 256), wide as usize, high as usize);
    assert_eq!(back, pixels);
    // With few colours, each is near the one it stands for, and none is left out.
    let back = decode(&sixel::sixel(&pixels, wide, high, 16), wide as usize, high as usize);
    let mut colours: Vec<[u8; 3]> = back.clone();
    colours.sort_unstable();
    colours.dedup();
    assert!((8..=16).contains(&colours.len()), "{}", colours.len());
    let far =
        |one: &[u8; 3], other: &[u8; 3]| one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>();
    let mean = back.iter().zip(&pixels).map(|(one, other)| far(one, other)).sum::<u32>() / (wide * high);
    assert!(mean < 120, "{mean}");
}
