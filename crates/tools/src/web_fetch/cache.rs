//! Pages that were fetched a little while ago.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::content::WebPage;

/// Pages that are kept; each is bounded itself.
const MAX_PAGES: usize = 32;

/// Pages by address, the oldest first.
#[derive(Default)]
pub(super) struct PageCache(Mutex<VecDeque<(String, Instant, Arc<WebPage>)>>);

impl PageCache {
    /// The page at this address, if it is no older than this.
    pub(super) fn get(&self, url: &str, max_age: Duration) -> Option<Arc<WebPage>> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, _, page) = pages.iter().find(|(known, at, _)| known == url && at.elapsed() < max_age)?;
        Some(Arc::clone(page))
    }

    #[expect(clippy::disallowed_methods, reason = "a page grows old from here on")]
    pub(super) fn put(&self, url: &str, page: &Arc<WebPage>) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(known, ..)| known != url);
        pages.push_back((url.to_owned(), Instant::now(), Arc::clone(page)));
        if pages.len() > MAX_PAGES {
            pages.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_and_none_is_there_twice() {
        let cache = PageCache::default();
        let page = |text: &str| Arc::new(WebPage::text(text));
        for number in 0..40 {
            cache.put(&number.to_string(), &page("old"));
            cache.put("same", &page(&number.to_string()));
        }
        let hour = Duration::from_secs(3600);
        assert_eq!(cache.0.lock().unwrap().len(), MAX_PAGES);
        assert_eq!(cache.get("same", hour), Some(page("39")));
        assert_eq!(cache.get("39", hour), Some(page("old")));
        assert_eq!(cache.get("1", hour), None);
        assert_eq!(cache.get("same", Duration::ZERO), None);
    }
}
