use super::*;

const DRAW: Texels = Texels::Gpu(Job::Draw);
const CLEAR: Texels = Texels::Clear(ClearValue::Zero);
const PIXELS: Pixels = Pixels { format: 0, kind: 0, first: 0, row: 0, image: 0, swapped: false };
const UPLOAD: Texels = Texels::Memory { param: 8, pixels: PIXELS };

fn part(at: [u32; 2], end: [u32; 2], texels: Texels) -> ImageWrite {
    ImageWrite { region: Region { at, end }, aspect: Aspect::All, texels }
}

fn calls(records: &ImageRecords) -> Vec<(u64, u64)> {
    records.writes().map(|write| (write.call, write.last)).collect()
}

#[test]
fn overwritten_entries_are_removed() {
    let mut records = ImageRecords::made(1, [8, 8], false);
    records.write(2, part([2, 2], [4, 4], UPLOAD));
    records.write(3, ImageWrite::whole(Aspect::All, DRAW));
    records.write(4, ImageWrite::whole(Aspect::Depth, DRAW));
    assert_eq!(calls(&records), [(1, 1), (2, 2), (3, 4)]);
    let before = records.clone();
    records.write(5, part([0, 0], [8, 9], CLEAR));
    assert_eq!(calls(&records), [(5, 5)]);
    assert_eq!(calls(&before), [(1, 1), (2, 2), (3, 4)], "a clone is not affected");
}

#[test]
fn adjacent_draws_are_merged() {
    let mut records = ImageRecords::made(1, [8, 8], false);
    for frame in 0..100 {
        records.write(10 * frame + 2, part([0, 0], [4, 4], CLEAR));
        records.write(10 * frame + 3, ImageWrite::whole(Aspect::All, DRAW));
    }
    assert_eq!(calls(&records), [(1, 1), (3, 983), (992, 992), (993, 993)]);
}

#[test]
fn depth_does_not_hide_stencil() {
    let mut records = ImageRecords::made(1, [8, 8], true);
    records.write(2, ImageWrite::whole(Aspect::Depth, CLEAR));
    records.write(3, ImageWrite::whole(Aspect::Stencil, CLEAR));
    records.write(4, ImageWrite::whole(Aspect::Depth, CLEAR));
    assert_eq!(calls(&records), [(1, 1), (3, 3), (4, 4)]);
    records.write(5, ImageWrite::whole(Aspect::All, UPLOAD));
    assert_eq!(calls(&records), [(5, 5)]);
}

#[test]
fn the_list_is_bounded_and_loses_no_texel() {
    let mut records = ImageRecords::made(0, [100, 100], false);
    for call in 1..20_000u32 {
        let at = [call % 99, call / 99 % 99];
        records.write(call.into(), part(at, [at[0] + 1, at[1] + 1], UPLOAD));
    }
    assert!(records.writes().count() <= MAX_WRITES);
    let mut oldest = records.writes();
    let first = oldest.next().expect("the list is not empty");
    assert_eq!(first.write.texels, Texels::Gpu(Job::Several));
    assert_eq!(first.write.region, Region::whole([100, 100]));
    assert_eq!(records.last(), Some(19_999));
    assert!(oldest.all(|recorded| recorded.call > first.last));
}

#[test]
fn rectangles_are_split_without_losing_a_texel() {
    let all = Region::whole([7, 6]);
    let mut seed = 7u64;
    for _ in 0..1000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = |shift: u32| (seed >> shift & 7) as u32;
        let at = [number(20), number(25)];
        let hole = Region { at, end: [at[0] + number(30), at[1] + number(35)] };
        let mut times = [[0; 6]; 7];
        let met = all.meet(&hole);
        for region in all.without(&hole).chain(met) {
            for (x, y) in (region.at[0]..region.end[0]).flat_map(|x| (region.at[1]..region.end[1]).map(move |y| (x, y)))
            {
                times[x as usize][y as usize] += 1;
            }
        }
        assert_eq!(times, [[1; 6]; 7], "{hole:?}");
    }
}
