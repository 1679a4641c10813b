//! Blocks whose texels are known from the reference decoder.

use super::*;

fn decode(size: (u8, u8), block: u128, profile: Profile) -> Vec<[u8; 8]> {
    let mut texels = vec![[0xaa; 8]; usize::from(size.0) * usize::from(size.1)];
    unpack(block, size, profile, &mut texels);
    texels
}

/// Checks the first texel, one in the middle, and the last, as words with red in the low bits.
#[track_caller]
fn check(size: (u8, u8), block: u128, expected: [u64; 3]) {
    let texels = decode(size, block, Profile::Hdr);
    let middle = usize::from(size.1 / 2) * usize::from(size.0) + usize::from(size.0 / 2);
    let found = [texels[0], texels[middle], texels[texels.len() - 1]].map(u64::from_le_bytes);
    assert_eq!(found, expected, "{size:?} {block:032x}: {found:016x?}");
}

/// A block for each endpoint mode, in order.
#[test]
fn endpoint_modes() {
    let blocks = [
        ((12, 10), 0xf076bdb00363100a659b8bd774ae00b3, [0x3c0039d539d539d5, 0x3c0038e938e938e9, 0x3c00365536553655]),
        ((12, 10), 0xa9d27bef0bb1ae0eb83f7d6e520024ae, [0x3c002ac02ac02ac0, 0x3c002d4e2d4e2d4e, 0x3c002eea2eea2eea]),
        ((6, 5), 0xfe2f03ee089c3d4ebc517640e9824441, [0x3c00603060306030, 0x3c004d004d004860, 0x3c00603060303a00]),
        ((10, 10), 0xcd40bbc4b29001eeb151906f5aa660af, [0x3c00559955995599, 0x3c00552a552a552a, 0x3c0054f054f054f0]),
        ((6, 6), 0x7c0edf722905b097a15e3a437f6883ed, [0x2fd739cc39cc39cc, 0x2fbb39d539d539d5, 0x2f6339f439f439f4]),
        ((12, 10), 0xb9b03c1e0dba9f0af449d3972ee6a1de, [0x3ae63a103a103a10, 0x3af53a023a023a02, 0x3afe39f939f939f9]),
        ((12, 10), 0xc939e0aa05e4aae666fe549f908ac7bf, [0x3c002f0f2d6d390f, 0x3c002e242e0a3867, 0x3c002e0a2df03855]),
        ((5, 4), 0x336a3ce0dc12d2e01861ba1757bee1bf, [0x3c000c1b0db10765, 0x3c000af20ca306a8, 0x3c0014c017b00cc0]),
        ((12, 10), 0x54c832800b8c4337633de442df050006, [0x3c00395b3970375b, 0x3c00394a38b9377c, 0x3c0038f430243814]),
        ((12, 10), 0x3a5915b8e35948fe694ba10d71232093, [0x3c00361639ae3ac8, 0x3c0035f539bd3ab6, 0x3c0035d539cc3aa5]),
        ((10, 6), 0xd28b6873877b29dc4a804e0f3a534471, [0x31253a3e34143af6, 0x3005398036113a24, 0x2d25388c34143915]),
        ((10, 5), 0xdc7c7192c09fb750768487f360d36066, [0x3c0022a024781630, 0x3c002130236f1527, 0x3c0020a822e814c0]),
        ((10, 8), 0x0b4008f2ca6af7ffe72fd234e6c98493, [0x3b8437d734a43585, 0x3b8a3895377d37b8, 0x3b3f3935391538e4]),
        ((8, 8), 0xc9db3caa86091e00344b16281509a314, [0x355538e4380c3676, 0x354a38f138283661, 0x3525391d388c3616]),
        ((5, 5), 0x1d066f14be2718ac08f441f73a4dc631, [0x3a663c6046203739, 0x3a663c7846203788, 0x3a663c7346203779]),
        ((8, 6), 0xfd1e7272c7d8e6fd8e9c050f6ba3e023, [0x786059e0590059a0, 0x7b6f53165153525c, 0x7bff4dfe4bee4d08]),
    ];
    for (mode, (size, block, expected)) in blocks.into_iter().enumerate() {
        assert_eq!((block >> 13) as usize & 15, mode);
        check(size, block, expected);
    }
}

/// Two, three and four partitions, with one mode for all and with several; and two weight planes.
#[test]
fn partitions_and_planes() {
    let blocks = [
        ((12, 10), 0x9aa4210ddcd6fd7098939e71c87c6bee, [0x38a1360f360f360f, 0x392835e335e335e3, 0x307c3b913b913b91]),
        ((12, 10), 0x4e5ce3a5fb04dbe2f5648f9778c9a829, [0x3c00373837383738, 0x3c0039f839f839f8, 0x3c003aa03aa03aa0]),
        ((12, 10), 0x128c36ac866fa81ea0026958943b7195, [0x38742b872fc70000, 0x39e2000000003846, 0x3a3e2d4526062606]),
        ((12, 10), 0xae18da88b89bbcb5a6339c0510f1b213, [0x3c00348f348f348f, 0x3c00724072407240, 0x3c0058e058e058e0]),
        ((12, 10), 0x1c5e46f199454f227a7405c06010f9ee, [0x3c00390539053905, 0x3c00370737073707, 0x3c00314531453145]),
        ((8, 5), 0x34742f8d29b0f11aa116a931a6c65b8f, [0x3c00689168916891, 0x3c0068da68da68da, 0x3c00383f35ad3624]),
        ((4, 4), 0x04d6bd65466fc446f8c964189cfac72f, [0x3c00280434c63565, 0x3c0028cd348a365a, 0x3c00292d338736cf]),
    ];
    for (size, block, expected) in blocks {
        check(size, block, expected);
    }
}

/// Checks the colour of a constant block in each profile.
#[track_caller]
fn check_void(block: u128, srgb: [u8; 4], ldr: [u16; 4], hdr: [u16; 4]) {
    let size = (6, 5);
    assert!(decode(size, block, Profile::Srgb).iter().all(|texel| texel[..4] == srgb), "{block:032x}");
    assert_eq!(decode(size, block, Profile::Ldr), vec![halves(ldr); 30], "{block:032x}");
    assert_eq!(decode(size, block, Profile::Hdr), vec![halves(hdr); 30], "{block:032x}");
}

const MAGENTA: [u16; 4] = [0x3c00, 0, 0x3c00, 0x3c00];
const NAN: [u16; 4] = [0xffff; 4];

#[test]
fn one_colour() {
    let colour = 0xffff_8000_0001_1234_u128 << 64;
    let everywhere = 0xffff_ffff_ffff_fdfc;
    let halves = [0x2c8d, 0x0100, 0x3800, 0x3c00];
    check_void(colour | everywhere, [0x12, 0, 0x80, 0xff], halves, halves);
    // With high dynamic range the words are half floats.
    let words = [0x1234, 0x0001, 0x8000, 0xffff];
    check_void(colour | everywhere | 0x200, [0xff, 0, 0xff, 0xff], MAGENTA, words);
    // An extent that is a part of the texture, and an invalid one.
    let part = |s0: u128, s1: u128, t0: u128, t1: u128| (s0 << 12) | (s1 << 25) | (t0 << 38) | (t1 << 51) | 0xdfc;
    check_void(colour | part(1, 2, 1, 2), [0x12, 0, 0x80, 0xff], halves, halves);
    check_void(colour | part(2, 2, 1, 2), [0xff, 0, 0xff, 0xff], MAGENTA, NAN);
    check_void(colour | part(1, 2, 3, 2), [0xff, 0, 0xff, 0xff], MAGENTA, NAN);
    // Two reserved bits must be set.
    check_void(colour | (everywhere ^ 0x400), [0xff, 0, 0xff, 0xff], MAGENTA, NAN);
}

#[test]
fn illegal_blocks_are_errors() {
    // A zero block, a reserved mode, a grid wider than the block, too many and too few weight bits, and two weight
    // planes with four partitions.
    for block in [0, 0x1c4, 0x183, 0x773, 0x011, 0x411 | (3 << 11)] {
        check_void(block, [0xff, 0, 0xff, 0xff], MAGENTA, NAN);
    }
}

#[test]
fn high_dynamic_range_is_an_error_without_support() {
    let block = 0xcd40_bbc4_b290_01ee_b151_906f_5aa6_60af;
    assert_eq!(decode((10, 10), block, Profile::Ldr), vec![halves(MAGENTA); 100]);
    assert!(decode((10, 10), block, Profile::Srgb).iter().all(|texel| texel[..4] == [0xff, 0, 0xff, 0xff]));
}

#[test]
fn conversions_to_half_floats() {
    for value in 0..=u16::MAX {
        let exact = if value == u16::MAX { 1.0 } else { f32::from(value) / 65536.0 };
        let half = crate::Format::R16F
            .decode(&half_of_unorm(value).to_le_bytes(), crate::Reading { decode_srgb: false, stencil: false });
        let half = half.float()[0];
        assert!(half <= exact && exact - half < exact.max(2f32.powi(-14)) / 1024.0, "{value:#x}: {half}");
    }
    assert_eq!(half_of_logarithm(0x7800), 0x3c00);
    assert_eq!(half_of_logarithm(0xffff), 0x7bff);
}
