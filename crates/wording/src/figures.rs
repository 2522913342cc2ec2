//! How waits, windows and money read.

use forelook_protocol::{Cost, ModelInfo, Price, Retry, TotalCost};

use crate::{sanitize, truncate};

/// What is said of a price or a window that nobody knows.
pub const UNKNOWN: &str = "unknown";

/// The longest reason that is repeated for every attempt.
const REASON: usize = 160;

/// Why an answer is asked for again, and which attempt comes when, in one line. `void` says what becomes of words that
/// somebody has seen already.
pub fn retry_message(retry: &Retry, void: Option<&str>) -> String {
    let why = retry.failure.message.lines().next().unwrap_or_default();
    let why = truncate(&sanitize(why.trim_end_matches(['.', ' '])), REASON);
    let void = void.map_or_else(String::new, |void| format!(" {void},"));
    let which = format!("attempt {} of {}", retry.attempt, retry.max_attempts);
    let when = if retry.wait_ms == 0 { "now".to_owned() } else { format!("in {}", wait(retry.wait_ms)) };
    match &retry.fallback {
        Some(model) => format!("{why};{void} {which} with {model} {when}"),
        None => format!("{why};{void} {which} {when}"),
    }
}

/// A wait, as exact as somebody who waits wants it.
fn wait(ms: u64) -> String {
    let tenths = ms.div_ceil(100);
    let seconds = ms.div_ceil(1_000);
    match seconds {
        _ if tenths < 100 && !tenths.is_multiple_of(10) => format!("{}.{} s", tenths / 10, tenths % 10),
        0..100 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

/// How long something has been going on, such as `5 s` or `2 min 20 s`.
pub fn format_duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes @ 0..60, 0) => format!("{minutes} min"),
        (minutes @ 0..60, seconds) => format!("{minutes} min {seconds} s"),
        (minutes, _) => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// How many tokens a model can read, such as `200k`.
pub fn window(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => match tokens / 100_000 % 10 {
            0 => format!("{}M", tokens / 1_000_000),
            tenth => format!("{}.{tenth}M", tokens / 1_000_000),
        },
    }
}

/// What a million tokens cost, read and written.
pub fn price(price: &Price) -> String {
    match is_free(price) {
        true => "free".to_owned(),
        false => format!("{} in, {} out", million(price.input), million(price.output)),
    }
}

/// A million times the cost of one: billionths become thousandths, so nothing is rounded.
fn million(each: Cost) -> String {
    let (whole, rest) = (each.0 / 1_000, each.0 % 1_000);
    let digits = format!("{rest:03}");
    match digits.trim_end_matches('0') {
        "" => format!("${whole}"),
        digits => format!("${whole}.{digits:0<2}"),
    }
}

fn is_free(price: &Price) -> bool {
    [price.input, price.output, price.cache_read, price.cache_write] == [Cost::default(); 4]
}

/// Money that was spent. Little of it is still more than nothing.
pub fn dollars(cost: Cost) -> String {
    match cost.0 {
        0 => "$0.00".to_owned(),
        1..100_000 => "<$0.0001".to_owned(),
        100_000..1_000_000_000 => format!("${:.4}", cost.dollars()),
        _ => format!("${:.2}", cost.dollars()),
    }
}

/// What something cost, as far as that is known.
pub fn bill(bill: TotalCost) -> String {
    match bill {
        TotalCost::Exact(cost) => dollars(cost),
        TotalCost::AtLeast(Cost(0)) => UNKNOWN.to_owned(),
        // A sum without some of its parts is at least that much.
        TotalCost::AtLeast(cost) => format!("≥ {}", dollars(cost)),
    }
}

/// What is known of a model that has answered: servers call themselves by the name without the provider.
pub fn find_model<'a>(model: &str, models: &'a [ModelInfo]) -> Option<&'a ModelInfo> {
    let bare = |it: &&ModelInfo| it.name.split_once('/').is_some_and(|(_, name)| name == model);
    models.iter().find(|it| it.name == model).or_else(|| models.iter().find(bare))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::{FailureKind, ProviderFailure};

    fn retry(message: &str, wait_ms: u64) -> Retry {
        let failure = ProviderFailure::new(FailureKind::Overloaded, message);
        Retry { failure, attempt: 3, max_attempts: 10, wait_ms, fallback: None }
    }

    #[test]
    fn attempts_in_a_line() {
        let with = |message: &str, wait_ms, fallback: Option<&str>| {
            let mut retry = retry(message, wait_ms);
            retry.fallback = fallback.map(str::to_owned);
            retry
        };
        for (retry, void, expected) in [
            (with("It is busy", 4_000, None), None, "It is busy; attempt 3 of 10 in 4 s"),
            (with("It is busy.\nMore", 375, None), None, "It is busy; attempt 3 of 10 in 0.4 s"),
            (
                with("It was cut off", 9_950, None),
                Some("discarding it"),
                "It was cut off; discarding it, attempt 3 of 10 in 10 s",
            ),
            (with("It is busy", 0, Some("openai/b")), None, "It is busy; attempt 3 of 10 with openai/b now"),
            (with("It is busy", 599_000, None), None, "It is busy; attempt 3 of 10 in 10 min"),
        ] {
            assert_eq!(retry_message(&retry, void), expected);
        }
        let long = retry_message(&with(&"x".repeat(4_000), 1, None), None);
        assert!(long.ends_with("x…; attempt 3 of 10 in 0.1 s") && long.len() < 250, "{long}");
    }

    #[test]
    fn what_lasts() {
        for (ms, expected) in [
            (5_000, "5 s"),
            (59_999, "59 s"),
            (60_000, "1 min"),
            (140_400, "2 min 20 s"),
            (3_600_000, "1 h 0 min"),
            (9_059_000, "2 h 30 min"),
        ] {
            assert_eq!(format_duration(ms), expected);
        }
    }

    #[test]
    fn windows_and_prices() {
        for (tokens, expected) in [
            (512, "512"),
            (8_192, "8k"),
            (200_000, "200k"),
            (1_000_000, "1M"),
            (1_048_576, "1M"),
            (1_500_000, "1.5M"),
        ] {
            assert_eq!(window(tokens), expected);
        }
        for (input, output, expected) in [
            (3_000, 15_000, "$3 in, $15 out"),
            (1_250, 10_000, "$1.25 in, $10 out"),
            (75, 300, "$0.075 in, $0.30 out"),
            (0, 0, "free"),
        ] {
            let [input, output] = [input, output].map(Cost);
            assert_eq!(price(&Price { input, output, cache_read: input, cache_write: input }), expected);
        }
    }

    #[test]
    fn money_that_was_spent() {
        for (cost, expected) in [
            (0, "$0.00"),
            (1, "<$0.0001"),
            (99_999, "<$0.0001"),
            (12_345_678, "$0.0123"),
            (1_234_567_890, "$1.23"),
        ] {
            assert_eq!(dollars(Cost(cost)), expected);
        }
    }

    #[test]
    fn nothing_spent_is_told_from_nothing_known() {
        for (spent, expected) in [
            (TotalCost::Exact(Cost(0)), "$0.00"),
            (TotalCost::AtLeast(Cost(0)), UNKNOWN),
            (TotalCost::AtLeast(Cost(12_345_678)), "≥ $0.0123"),
            (TotalCost::Exact(Cost(12_345_678)), "$0.0123"),
        ] {
            assert_eq!(bill(spent), expected);
        }
    }
}
