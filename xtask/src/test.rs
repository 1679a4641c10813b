pub fn run() -> anyhow::Result<()> {
    crate::corpus::run_sample()
}
