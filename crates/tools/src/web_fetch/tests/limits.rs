//! Servers that mean ill.

use std::time::Duration;

use super::server::ok;
use super::*;

/// Gzip of a great many zeros, without a crate for it: stored blocks cannot shrink, but one run of a fixed code can.
fn bomb() -> Vec<u8> {
    // Deflate, fixed codes: a zero byte, then matches of 258 bytes at distance 1, each 8 + 5 bits.
    let (mut bits, mut count, mut out) = (0_u64, 0, b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec());
    let mut put = |value: u64, length: u32| {
        bits |= value << count;
        count += length;
        while count >= 8 {
            out.push((bits & 0xff) as u8);
            bits >>= 8;
            count -= 8;
        }
    };
    put(0b011, 3);
    put(0b0000_1100, 8); // the literal 0, its code 0x30 with the high bit first
    for _ in 0..400_000 {
        put(0b1010_0011, 8); // the length 258: symbol 285, its code 0xc5 with the high bit first
        put(0, 5); // the distance 1
    }
    put(0, 16);
    out
}

#[tokio::test]
async fn a_page_without_end_is_cut_and_that_is_told() {
    let server = Server::new(|_, out| {
        write!(out, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 524288000\r\n\r\n")?;
        let line = "<p>all work and no play\n".repeat(1000);
        for _ in 0..524_288_000 / line.len() {
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    });
    let text = page(&server, "/").await;
    assert!(text.contains("all work and no play"));
    assert!(
        text.contains("more than 10485760 bytes") && text.contains("its first 100000 characters"),
        "{text}"
    );
    assert!(text.chars().count() < 31_000);
}

#[tokio::test]
async fn what_is_packed_is_bounded_when_it_is_unpacked() {
    let packed = bomb();
    assert!(packed.len() < 1_000_000);
    let server = Server::new(move |_, out| {
        let head = "content-type: text/plain; charset=latin1\r\ncontent-encoding: gzip\r\n";
        super::server::whole(out, "200 OK", head, &packed)
    });
    let text = page(&server, "/").await;
    assert!(text.contains("more than 10485760 bytes"), "{}", &text[..500.min(text.len())]);
}

#[tokio::test]
async fn a_slow_server_is_not_waited_for() {
    let server = Server::new(|path, out| {
        write!(out, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\n")?;
        if path == "/begins" {
            write!(out, "The beginning.")?;
        }
        out.flush()?;
        std::thread::sleep(Duration::from_secs(30));
        Ok(())
    });
    let mut quick = tool(&server);
    quick.fetcher.limits.time = Duration::from_millis(300);
    let mut bench = bench(quick);
    let text = bench.ok("WebFetch", json!({"url": server.url("/begins")})).await;
    assert!(text.contains("The beginning.") && text.contains("did not arrive within 300ms"), "{text}");
    let text = bench.failure("WebFetch", json!({"url": server.url("/nothing")})).await;
    assert!(text.contains("No part of the page arrived"), "{text}");
}

#[tokio::test]
async fn a_silent_server_is_not_waited_for() {
    let server = Server::new(|_, _| {
        std::thread::sleep(Duration::from_secs(30));
        Ok(())
    });
    let mut quick = tool(&server);
    quick.fetcher.limits.time = Duration::from_millis(300);
    let text = bench(quick).failure("WebFetch", json!({"url": server.url("/")})).await;
    assert!(text.contains("`127.0.0.1` sent nothing within 300ms"), "{text}");
}

#[tokio::test]
async fn an_interrupt_ends_it_at_once() {
    let (begun, wait) = tokio::sync::oneshot::channel();
    let begun = Mutex::new(Some(begun));
    let server = Server::new(move |_, _| {
        begun.lock().unwrap().take().unwrap().send(()).unwrap();
        std::thread::sleep(Duration::from_secs(30));
        Ok(())
    });
    let mut bench = bench(tool(&server));
    let cancel = bench.cx.cancel.clone();
    let interrupt = async move {
        wait.await.unwrap();
        cancel.cancel();
    };
    let (text, ()) = tokio::join!(bench.failure("WebFetch", json!({"url": server.url("/")})), interrupt);
    assert!(text.contains("Interrupted"), "{text}");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_told() {
    let server = Server::new(|_, out| {
        write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\nThe beginning."
        )
    });
    let text = page(&server, "/").await;
    assert!(text.contains("The beginning.") && text.contains("the connection broke"), "{text}");
    let server = Server::new(|path, out| match path {
        "/packed" => super::server::whole(out, "200 OK", "content-encoding: gzip\r\n", b"not packed at all"),
        "/garbage" => out.write_all(b"\x16\x03\x01 this is no HTTP\r\n\r\n"),
        _ => Ok(()),
    });
    for path in ["/packed", "/garbage", "/closed"] {
        let text = no_page(&server, path).await;
        assert!(text.contains("broke") || text.contains("failed"), "{path}: {text}");
    }
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let tool =
        WebFetch::new(WebAccess { network: Arc::default(), allow_local: vec!["127.0.0.1".to_owned()] });
    let text = bench(tool).failure("WebFetch", json!({"url": format!("http://{nobody}/")})).await;
    assert!(text.contains("`127.0.0.1` refused the connection"), "{text}");
}

#[tokio::test]
async fn the_same_page_is_fetched_once_in_a_while() {
    let server = Server::new(|path, out| match path {
        "/cut" => write!(out, "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nhalf"),
        _ => ok(out, "text/plain", "page"),
    });
    let mut bench = bench(tool(&server));
    for (path, requests) in [("/a", 1), ("/a#part", 1), ("/a?x", 2), ("/cut", 3), ("/cut", 4)] {
        bench.ok("WebFetch", json!({"url": server.url(path)})).await;
        assert_eq!(server.heard().len(), requests, "{path}");
    }
    let mut forgetful = tool(&server);
    forgetful.fetcher.limits.age = Duration::ZERO;
    let mut bench = super::bench(forgetful);
    for _ in 0..2 {
        let outcome = bench.call("WebFetch", json!({"url": server.url("/a")})).await;
        assert_eq!(outcome.output.unwrap()["cached"], false);
    }
    assert_eq!(server.heard().len(), 6);
}
