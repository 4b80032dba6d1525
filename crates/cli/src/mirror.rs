//! Mirror of a presenter: a page on loopback that follows what the presenter shows. It answers GET below an address that nobody can guess,
//! with the page and with the decision shown last; it takes nothing in.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stepwright_episode::NodeId;

/// Most connections at a time.
const VIEWERS: usize = 64;
/// Longest head of a request, in bytes.
const HEAD: usize = 8 << 10;
/// How long a request may take to come, and an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// After so long without news a viewer is tried, so that one that left is noticed.
const BEAT: Duration = Duration::from_secs(15);

const HEADERS: &str = "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
                       Content-Security-Policy: frame-ancestors 'none'\r\nConnection: close\r\n";

#[derive(Debug)]
pub(crate) struct Mirror {
    address: String,
    served: Arc<Served>,
}

#[derive(Debug)]
struct Served {
    /// The path that everything lies below.
    path: String,
    page: String,
    /// The decision that is shown, and how often it changed.
    shown: Mutex<(u64, Option<NodeId>)>,
    changed: Condvar,
    viewers: AtomicUsize,
}

impl Mirror {
    /// Serves a page until the program ends.
    pub fn serve(page: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let path = format!("/{:032x}/", rand::random::<u128>());
        let address = format!("http://{}{path}", listener.local_addr()?);
        let (shown, changed, viewers) = (Mutex::default(), Condvar::new(), AtomicUsize::new(0));
        let served = Arc::new(Served { path, page, shown, changed, viewers });
        let to = Arc::clone(&served);
        std::thread::Builder::new().name("mirror".to_owned()).spawn(move || to.accept(&listener))?;
        Ok(Mirror { address, served })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Has the viewers see that decision.
    pub fn show(&self, node: NodeId) {
        let mut shown = self.served.shown();
        if shown.1 != Some(node) {
            *shown = (shown.0 + 1, Some(node));
            self.served.changed.notify_all();
        }
    }
}

impl Served {
    fn shown(&self) -> MutexGuard<'_, (u64, Option<NodeId>)> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { continue };
            if self.viewers.fetch_add(1, Ordering::Relaxed) >= VIEWERS {
                self.viewers.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let to = Arc::clone(self);
            let answered = std::thread::Builder::new().name("viewer".to_owned()).spawn(move || {
                // Who went away needs no answer.
                let _ = to.answer(stream);
                to.viewers.fetch_sub(1, Ordering::Relaxed);
            });
            if answered.is_err() {
                self.viewers.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = head(&mut stream)?;
        let mut words = head.split_ascii_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let below = target.strip_prefix(self.path.as_str());
        match (method, below) {
            ("GET", Some("")) => {
                let (kind, length) = ("text/html; charset=utf-8", self.page.len());
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{HEADERS}\r\n");
                stream.write_all(head.as_bytes())?;
                stream.write_all(self.page.as_bytes())
            }
            ("GET", Some("shown")) => self.follow(&mut stream),
            ("GET", _) => refuse(&mut stream, "404 Not Found", ""),
            _ => refuse(&mut stream, "405 Method Not Allowed", "Allow: GET\r\n"),
        }
    }

    /// Server-sent events: the decision shown now, and each that is shown from now on.
    fn follow(&self, stream: &mut TcpStream) -> io::Result<()> {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{HEADERS}\r\n")?;
        let mut told = 0;
        loop {
            let shown = self.shown();
            let news = |shown: &mut (u64, Option<NodeId>)| shown.0 == told;
            let (shown, _) = self.changed.wait_timeout_while(shown, BEAT, news).unwrap_or_else(PoisonError::into_inner);
            let (times, node) = *shown;
            drop(shown);
            match node.filter(|_| times != told) {
                Some(node) => write!(stream, "data: {node}\n\n")?,
                None => stream.write_all(b":\n\n")?,
            }
            told = times;
        }
    }
}

/// The first line of a request; its other lines are read and mean nothing here.
fn head(stream: &mut TcpStream) -> io::Result<String> {
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let n = stream.read(&mut piece)?;
        if n == 0 || head.len() + n > HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.extend(piece.iter().take(n));
    }
    Ok(String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned())
}

fn refuse(stream: &mut TcpStream, status: &str, more: &str) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n{more}{HEADERS}\r\n")
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    fn asked(mirror: &Mirror, request: &str) -> BufReader<TcpStream> {
        let host = mirror.address().strip_prefix("http://").unwrap().split_once('/').unwrap().0;
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    fn answer(mirror: &Mirror, request: &str) -> String {
        let mut text = String::new();
        asked(mirror, request).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn viewers_see_the_page_and_what_is_shown_and_can_do_nothing() {
        let mirror = Mirror::serve("<p>the page</p>".to_owned()).unwrap();
        let path = mirror.served.path.clone();
        let page = answer(&mirror, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("\r\n\r\n<p>the page</p>"), "{page}");
        for other in ["/", "/shown", "/0123/", &format!("{path}../"), &path[..path.len() - 1], &format!("{path}page")] {
            let said = answer(&mirror, &format!("GET {other} HTTP/1.1\r\n\r\n"));
            assert!(said.starts_with("HTTP/1.1 404 ") && !said.contains("the page"), "{other}: {said}");
        }
        for method in ["POST", "PUT", "DELETE", "get", "OPTIONS"] {
            let said = answer(&mirror, &format!("{method} {path} HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi"));
            assert!(said.starts_with("HTTP/1.1 405 ") && said.contains("Allow: GET"), "{method}: {said}");
        }
        let mut first = asked(&mirror, &format!("GET {path}shown HTTP/1.1\r\n\r\n")).lines();
        mirror.show(3);
        let mut said = |wanted: &str| first.find(|line| line.as_ref().is_ok_and(|line| line == wanted)).is_some();
        assert!(said("data: 3"));
        mirror.show(3);
        mirror.show(4);
        assert!(said("data: 4"));
        // Who comes later sees what is shown now.
        let mut later = asked(&mirror, &format!("GET {path}shown HTTP/1.1\r\n\r\n")).lines();
        let events = later.by_ref().map_while(Result::ok).find(|line| line.starts_with("data"));
        assert_eq!(events.as_deref(), Some("data: 4"));
        // One that does not end is not waited for, and keeps nobody from seeing the page.
        let _endless = asked(&mirror, "GET ");
        assert!(answer(&mirror, &format!("GET {path} HTTP/1.1\r\n\r\n")).contains("the page"));
    }
}
