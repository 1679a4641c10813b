//! Compute shaders.

use emulator::Wave;
use emulator::wave::{Observer, Trap};
use lanes::Mask;
use shader::typed::DerivativeGroup;
use shader::version::Stage;

use crate::draw::DrawError;
use crate::host::{Resources, World};
use crate::program::{Program, StageProgram};
use crate::run::Runner;
use crate::state::State;

/// The number of lanes per wave.
const W: usize = crate::GROUP as usize;

/// Observes a running compute shader.
pub trait DispatchObserver: Observer<W> {
    /// Called when the lanes start to execute these invocations, given by `gl_GlobalInvocationID`.
    fn turn(&mut self, who: [[u32; 3]; W]) {
        let _ = who;
    }

    /// Returns whether nothing more is to be run.
    fn is_over(&self) -> bool {
        false
    }
}

impl DispatchObserver for () {}

impl<O: DispatchObserver> DispatchObserver for &mut O {
    fn turn(&mut self, who: [[u32; 3]; W]) {
        (**self).turn(who);
    }

    fn is_over(&self) -> bool {
        (**self).is_over()
    }
}

/// Larger workgroups are rejected.
const MOST: u32 = 1 << 16;

/// `glDispatchCompute`, or `glDispatchComputeGroupSizeARB` if the shader's layout leaves the workgroup size variable.
///
/// # Errors
/// When a shader does not terminate, or the program has no compute shader.
pub fn dispatch(
    state: &mut State,
    program: &Program,
    groups: [u32; 3],
    group_size: Option<[u32; 3]>,
) -> Result<(), DrawError> {
    dispatch_watched(state, program, groups, group_size, &mut ())
}

/// [`dispatch`] with an observer.
///
/// # Errors
/// When a shader does not terminate, or the program has no compute shader.
pub fn dispatch_watched(
    state: &mut State,
    program: &Program,
    groups: [u32; 3],
    group_size: Option<[u32; 3]>,
    watch: &mut impl DispatchObserver,
) -> Result<(), DrawError> {
    let Some(stage) = program.stage(Stage::Compute) else {
        return Err(DrawError::Unsupported("a program without a compute shader".to_owned()));
    };
    let (size, count) = size(stage, group_size)?;
    let mut resources = Resources::take(state);
    let mut group = Group::new(state, program, stage, groups, size, count);
    let (mut done, mut over) = (Ok(()), false);
    'all: for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                done = group.run([x, y, z], &mut resources, state.budget, watch);
                over = watch.is_over();
                if done.is_err() || over {
                    break 'all;
                }
            }
        }
    }
    resources.give_back(state);
    if over {
        return Err(DrawError::TooMuch);
    }
    done.map_err(|trap| DrawError::Trap { stage: Stage::Compute, trap })
}

/// A single workgroup, ready to run.
pub struct Workgroup {
    /// Its waves.
    pub waves: Vec<Wave<W>>,
    /// The invocations of their lanes (`gl_GlobalInvocationID`), wave by wave; the last wave may have fewer.
    pub invocations: Vec<[u32; 3]>,
}

/// The workgroup that contains the invocation with the given global id.
///
/// # Errors
/// When the invocation is out of range, or the program has no compute shader.
pub fn workgroup(
    state: &State,
    program: &Program,
    groups: [u32; 3],
    group_size: Option<[u32; 3]>,
    invocation: [u32; 3],
) -> Result<Workgroup, DrawError> {
    let Some(stage) = program.stage(Stage::Compute) else {
        return Err(DrawError::Unsupported("a program without a compute shader".to_owned()));
    };
    let (size, count) = size(stage, group_size)?;
    let id: [u32; 3] = std::array::from_fn(|axis| invocation[axis] / size[axis].max(1));
    if (0..3).any(|axis| id[axis] >= groups[axis]) {
        let [x, y, z] = std::array::from_fn(|axis| groups[axis] * size[axis]);
        let [a, b, c] = invocation;
        return Err(DrawError::Unsupported(format!("invocation {a},{b},{c} of a dispatch of {x} x {y} x {z}")));
    }
    let mut group = Group::new(state, program, stage, groups, size, count);
    group.begin(id).map_err(|trap| DrawError::Trap { stage: Stage::Compute, trap })?;
    let global = |index: u32| {
        let local = group.local(index, 0);
        std::array::from_fn(|axis| id[axis] * size[axis] + local[axis])
    };
    let invocations = (0..count).map(global).collect();
    Ok(Workgroup { waves: group.waves.into_iter().map(|runner| runner.wave).collect(), invocations })
}

/// The size of workgroups along each axis, and in total.
fn size(stage: &StageProgram, group_size: Option<[u32; 3]>) -> Result<([u32; 3], u32), DrawError> {
    let layout = &stage.layout;
    let fixed = layout.local_size.map(|size| size.unwrap_or(1));
    let size = group_size.filter(|_| layout.variable_local_size).unwrap_or(fixed);
    match size.iter().try_fold(1u32, |n, s| n.checked_mul(*s)).filter(|n| *n <= MOST) {
        Some(count) => Ok((size, count)),
        None => Err(DrawError::Unsupported(format!("a workgroup of {} x {} x {}", size[0], size[1], size[2]))),
    }
}

/// A workgroup; its waves are reused for one group after the other.
struct Group<'p> {
    stage: &'p StageProgram,
    groups: [u32; 3],
    size: [u32; 3],
    count: u32,
    waves: Vec<Runner<'p, W>>,
    memory: Vec<u8>,
}

impl<'p> Group<'p> {
    fn new(
        state: &State,
        program: &'p Program,
        stage: &'p StageProgram,
        groups: [u32; 3],
        size: [u32; 3],
        count: u32,
    ) -> Group<'p> {
        let waves = (0..count.div_ceil(W as u32)).map(|_| Runner::new(program, stage, state)).collect();
        Group { stage, groups, size, count, waves, memory: vec![0; stage.program.workgroup_bytes as usize] }
    }

    /// Resets all waves to the beginning of `main`.
    fn begin(&mut self, id: [u32; 3]) -> Result<(), Trap> {
        for number in 0..self.waves.len() {
            let first = (number * W) as u32;
            let mask = Mask::from_bits(u64::MAX >> (64 - (self.count - first).min(W as u32)));
            self.waves[number].begin(mask)?;
            self.builtins(number, first, id);
            self.waves[number].wave.start(mask);
        }
        Ok(())
    }

    fn run(
        &mut self,
        id: [u32; 3],
        resources: &mut Resources,
        budget: u64,
        watch: &mut impl DispatchObserver,
    ) -> Result<(), Trap> {
        self.memory.fill(0);
        self.begin(id)?;
        let mut left = budget;
        let mut waiting: Vec<usize> = (0..self.waves.len()).collect();
        while !waiting.is_empty() {
            let mut arrived = Vec::new();
            for &number in &waiting {
                let first = (number * W) as u32;
                watch.turn(std::array::from_fn(|lane| {
                    let local = self.local(first, lane);
                    std::array::from_fn(|axis| id[axis] * self.size[axis] + local[axis])
                }));
                let runner = &mut self.waves[number];
                let slots = std::mem::take(&mut runner.slots);
                let mut world = World { resources, slots: &slots, memory: &mut self.memory, quad: None, emitted: None };
                if runner.until_barrier(&mut left, &mut world, watch)? {
                    arrived.push(number);
                }
                runner.slots = slots;
            }
            waiting = arrived;
        }
        Ok(())
    }

    /// The local invocation id of a lane.
    fn local(&self, first: u32, lane: usize) -> [u32; 3] {
        let (size, index) = (self.size, first + lane as u32);
        if self.stage.layout.derivative_group == Some(DerivativeGroup::Quads) {
            // Four consecutive lanes are two by two invocations.
            let (quad, width, height) = (index / 4, (size[0] / 2).max(1), (size[1] / 2).max(1));
            let (x, y) = (quad % width * 2 + index % 2, quad / width % height * 2 + index / 2 % 2);
            return [x, y, quad / (width * height)];
        }
        [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])]
    }

    fn builtins(&mut self, number: usize, first: u32, id: [u32; 3]) {
        let (groups, size) = (self.groups, self.size);
        let waves = self.waves.len() as u32;
        let locals: [[u32; 3]; W] = std::array::from_fn(|lane| self.local(first, lane));
        let local = |lane: usize| locals[lane];
        let number_of = |[x, y, z]: [u32; 3]| (z * size[1] + y) * size[0] + x;
        let runner = &mut self.waves[number];
        for slot in self.stage.inputs.iter().filter(|slot| slot.builtin) {
            for (i, &register) in slot.words.iter().enumerate().take(3) {
                let values: [u32; W] = match slot.name.as_str() {
                    "gl_NumWorkGroups" => [groups[i]; W],
                    "gl_WorkGroupID" => [id[i]; W],
                    "gl_LocalGroupSizeARB" => [size[i]; W],
                    "gl_LocalInvocationID" => std::array::from_fn(|lane| local(lane)[i]),
                    "gl_GlobalInvocationID" => std::array::from_fn(|lane| id[i] * size[i] + local(lane)[i]),
                    "gl_LocalInvocationIndex" => std::array::from_fn(|lane| number_of(local(lane))),
                    "gl_NumSubgroups" => [waves; W],
                    "gl_SubgroupID" => [number as u32; W],
                    _ => continue,
                };
                runner.set(register, values);
            }
        }
    }
}
