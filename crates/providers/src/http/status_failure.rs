//! An answer whose status says that there is none.

use forelook_protocol::{FailureKind, ProviderFailure};
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{StatusCode, Url};

use super::redact;
use crate::dialect::Dialect;
use crate::failure::{Cause, bounded};

/// Nobody waits longer than this; a larger number is a mistake or a joke.
const MAX_WAIT_MS: u64 = 24 * 60 * 60 * 1000;

/// Whose key was refused.
pub(super) struct KeyUsed {
    /// Where it came from, in words.
    pub(super) origin: String,
    /// Whether there was one at all.
    pub(super) sent: bool,
}

/// What a status and its body mean.
pub(super) fn failure(
    (status, headers): (StatusCode, &HeaderMap),
    text: &str,
    dialect: &dyn Dialect,
    url: &Url,
    key: &KeyUsed,
) -> ProviderFailure {
    let failure = if status.is_redirection() {
        redirected(status, headers, url)
    } else {
        let reported = dialect.failure_of(status.as_u16(), text).unwrap_or_else(|| by_status(status, text));
        if is_about_the_key(status) { key_refused(reported, key) } else { reported }
    };
    let hint = failure.hint.or_else(|| hint(status, url));
    let retry_after_ms = retry_after(headers).or(failure.retry_after_ms);
    ProviderFailure { hint, status: Some(status.as_u16()), retry_after_ms, ..failure }
}

/// Whether another key might help.
pub(super) fn is_about_the_key(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

fn named(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} ({reason})", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// No dialect knows the body.
fn by_status(status: StatusCode, text: &str) -> ProviderFailure {
    let reported = redact::body_summary(text).map(|words| format!(": {words}")).unwrap_or_default();
    let (cause, message) =
        (Cause::of_status(status.as_u16()), format!("The server answered {}{reported}", named(status)));
    ProviderFailure { hint: cause.hint().map(str::to_owned), ..ProviderFailure::new(cause.kind(), message) }
}

fn key_refused(reported: ProviderFailure, key: &KeyUsed) -> ProviderFailure {
    let KeyUsed { origin, sent } = key;
    let (which, hint) = if *sent {
        (
            format!("the key came from {origin}"),
            format!("Check {origin}: the key must be complete, valid, and meant for this server"),
        )
    } else {
        (format!("no key was sent; it is read from {origin}"), format!("Set {origin}"))
    };
    // What the person must know may not be cut off by a long text of the server's.
    let message = format!("{} ({which})", bounded(&reported.message, 400));
    ProviderFailure::new(FailureKind::Authentication, message).hint(reported.hint.unwrap_or(hint))
}

fn redirected(status: StatusCode, headers: &HeaderMap, url: &Url) -> ProviderFailure {
    let place = headers.get(LOCATION).and_then(|it| it.to_str().ok()).and_then(|it| url.join(it).ok());
    let place =
        place.map_or_else(|| "another address".to_owned(), |it| format!("`{}`", redact::redacted_url(&it)));
    let message = format!(
        "The server answered {} and redirects to {place}; Forelook does not send the request and the key there",
        named(status)
    );
    ProviderFailure::new(FailureKind::BadRequest, message)
        .hint("If you trust that address, set it as the base URL")
}

fn hint(status: StatusCode, url: &Url) -> Option<String> {
    match status.as_u16() {
        404 => Some(format!(
            "The request went to `{}`: check the base URL and the model's name",
            redact::redacted_url(url)
        )),
        407 => Some("Put the name and password in the proxy's URL: `http://name:password@host`".into()),
        _ => None,
    }
}

/// How long the server asks to wait.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = text("retry-after-ms").and_then(|it| number(it, 1.0));
    let after = || {
        let after = text(RETRY_AFTER.as_str())?;
        number(after, 1000.0).or_else(|| until(after, text(DATE.as_str())?))
    };
    milliseconds.or_else(after).map(|retry_after| retry_after.min(MAX_WAIT_MS))
}

fn number(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0)?;
    Some((number * unit).ceil() as u64)
}

/// A date is measured by the server's own clock, which it sends along: ours may be wrong.
fn until(date: &str, now: &str) -> Option<u64> {
    let read = |text| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    let retry_after = read(date)?.as_millisecond() - read(now)?.as_millisecond();
    Some(retry_after.max(0) as u64)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_time_to_wait_is_read_in_all_its_forms() {
        const NOW: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (pairs, expect) in [
            (vec![], None),
            (vec![("retry-after", "7")], Some(7000)),
            (vec![("retry-after", "0.25")], Some(250)),
            (vec![("retry-after-ms", "120"), ("retry-after", "7")], Some(120)),
            (vec![("retry-after-ms", "soon"), ("retry-after", "7")], Some(7000)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), NOW], Some(30_000)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), NOW], Some(0)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], None),
            (vec![("retry-after", "-3")], None),
            (vec![("retry-after", "NaN")], None),
            (vec![("retry-after", "inf")], None),
            (vec![("retry-after", "1e300")], Some(MAX_WAIT_MS)),
            (vec![("retry-after", "after lunch"), NOW], None),
        ] {
            assert_eq!(retry_after(&headers(&pairs)), expect, "{pairs:?}");
        }
    }
}
