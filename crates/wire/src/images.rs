//! Images of a request: where a conversation in the neutral form has their words, what they are.

use std::collections::BTreeMap;

use crate::neutral::Api;
use crate::raw::{Fields, elements};
use crate::texts::noted;

/// An image as another interface can be given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// Its bytes.
    Data {
        /// Their type (`image/png`).
        media: String,
        /// In base64.
        data: String,
    },
    /// Where it is.
    Url(String),
}

impl Image {
    /// An address, which may hold the bytes itself.
    fn of_address(address: String) -> Option<Image> {
        let held = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match held {
            // What stands between (`;charset=…`) says nothing of an image.
            Some((media, data)) => {
                let media = media.split(';').next().unwrap_or_default().to_owned();
                Some(Image::Data { media, data: data.to_owned() })
            }
            None => address.starts_with("http").then_some(Image::Url(address)),
        }
    }

    /// As an address, which holds the bytes itself where it has them.
    pub fn address(&self) -> String {
        match self {
            Image::Data { media, data } => format!("data:{media};base64,{data}"),
            Image::Url(url) => url.clone(),
        }
    }
}

/// The images of a request by their words ([`crate::Part::Image`]), those in results of tools too. One that is a file of the provider's
/// is no other's to see, and left out.
pub fn images(api: Api, body: &str) -> BTreeMap<String, Image> {
    let fields = Fields::of(body);
    let messages = if api == Api::Responses { "input" } else { "messages" };
    let mut all = BTreeMap::new();
    for message in elements(fields.get(messages)).map(Fields::of) {
        for part in ["content", "output"].into_iter().flat_map(|name| elements(message.get(name))) {
            let own = Fields::of(part);
            if own.string("type") == "tool_result" {
                all.extend(elements(own.get("content")).filter_map(|part| image(api, part)));
            }
            all.extend(image(api, part));
        }
    }
    all
}

fn image(api: Api, text: &str) -> Option<(String, Image)> {
    let part = Fields::of(text);
    match (api, part.string("type").as_str()) {
        (Api::Chat, "image_url") => {
            let source = part.get("image_url");
            let address =
                if source.starts_with('"') { part.string("image_url") } else { Fields::of(source).string("url") };
            Some((noted("image", source), Image::of_address(address)?))
        }
        (Api::Responses, "input_image") => Some((noted("image", text), Image::of_address(part.string("image_url"))?)),
        (Api::Messages, "image") => {
            let source = Fields::of(part.get("source"));
            let image = match source.string("type").as_str() {
                "base64" => Image::Data { media: source.string("media_type"), data: source.string("data") },
                "url" => Image::Url(source.string("url")),
                _ => return None,
            };
            Some((noted("image", part.get("source")), image))
        }
        _ => None,
    }
}
