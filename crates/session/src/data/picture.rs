//! Whether a history explains what the picture shows.

use serde::Serialize;

use super::history::{TexelValue, Verdict};

/// Whether what a history explains is what the picture shows at the pixel, when it is looked at.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PictureCheck {
    /// What the last writer left that the history found. If the samples of a surface do not give the picture, their mean.
    pub explained: Option<TexelValue>,
    /// What the picture shows; of a pixel with several samples, what the sample holds, if their mean is what it shows.
    pub shown: Option<TexelValue>,
    /// Whether they are the same, in the format of the image; NaN is the same as NaN.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl PictureCheck {
    /// Whether the history explains something else than the picture shows.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        matches!(self.verdict, Verdict::Differs(_))
    }

    /// Returns a sentence that says so, or that nothing was compared; `None` if they are the same.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let value = |value: &Option<TexelValue>| value.as_ref().map_or("nothing".to_owned(), ToString::to_string);
        match &self.verdict {
            Verdict::Equal | Verdict::Within(_) => None,
            // Rows end with what was read back, whatever their last fragment makes of it.
            Verdict::Differs(units) if self.explained == self.shown => Some(format!(
                "this history does not explain the picture, which shows {}: what its last fragment makes is {units} ulp from \
                 that",
                value(&self.shown)
            )),
            Verdict::Differs(_) => Some(format!(
                "this history does not explain the picture: it leads to {}, and the picture shows {}",
                value(&self.explained),
                value(&self.shown)
            )),
            Verdict::Unchecked(why) => Some(format!("the history was not compared with the picture: {why}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(explained: Option<f32>, shown: Option<f32>, verdict: Verdict, sentence: Option<&str>) {
        let value = |depth: Option<f32>| depth.map(TexelValue::Depth);
        let check = PictureCheck { explained: value(explained), shown: value(shown), verdict };
        assert_eq!(check.sentence().as_deref(), sentence);
        assert_eq!(check.is_wrong(), sentence.is_some_and(|text| text.contains("does not explain")));
    }

    #[test]
    fn a_wrong_history_says_what_it_explains_and_what_is_shown() {
        check(Some(0.5), Some(0.5), Verdict::Equal, None);
        check(Some(0.5), Some(0.25), Verdict::Within(1), None);
        let differs =
            "this history does not explain the picture: it leads to depth 0.5, and the picture shows depth 0.25";
        check(Some(0.5), Some(0.25), Verdict::Differs(4), Some(differs));
        let differs = "this history does not explain the picture, which shows depth 0.5: what its last fragment makes is 4 \
                       ulp from that";
        check(Some(0.5), Some(0.5), Verdict::Differs(4), Some(differs));
        let missing = "the history was not compared with the picture: it cannot be read back";
        check(Some(0.5), None, Verdict::Unchecked("it cannot be read back".to_owned()), Some(missing));
    }
}
