//! One translation over 47,522 sentences: the search against a plain loop in f64, in one run, at the dimensions of the built-in
//! table and of MiniLM; the built-in embedder itself; and the bar: a sentence embedded and its 20 nearest found within 5 ms.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use stepwright_embed::{Table, built_in, normalise};

/// Admissible steps of the language planner.
const STEPS: usize = 47_522;

/// Most milliseconds of one translation, median.
const BAR: f64 = 5.0;

fn unit(dimensions: usize, seed: &mut u64) -> Vec<f32> {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    };
    let mut vector = (0..dimensions).map(|_| next()).collect::<Vec<_>>();
    normalise(&mut vector);
    vector
}

/// Every cosine in f64, then the best ones by sorting.
fn plain(rows: &[Vec<f64>], query: &[f64], k: usize) -> Vec<(usize, f64)> {
    let cosine = |row: &[f64]| row.iter().zip(query).map(|(x, y)| x * y).sum::<f64>();
    let mut all = rows.iter().map(|row| cosine(row)).enumerate().collect::<Vec<_>>();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(k);
    all
}

/// Milliseconds of one of 101 calls, the median.
fn median_ms(mut call: impl FnMut()) -> f64 {
    let mut took: Vec<f64> = (0..101)
        .map(|_| {
            let begun = Instant::now();
            call();
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}

fn search(c: &mut Criterion) {
    for dimensions in [built_in().dimensions(), 384] {
        let mut seed = 11;
        let vectors = (0..STEPS).map(|_| unit(dimensions, &mut seed)).collect::<Vec<_>>();
        let query = unit(dimensions, &mut seed);
        let wide = vectors.iter().map(|v| v.iter().map(|x| f64::from(*x)).collect()).collect::<Vec<Vec<f64>>>();
        let wide_query = query.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
        let table = Table::new((0..STEPS).map(|n| n.to_string()).collect(), vectors);
        let best = plain(&wide, &wide_query, 20).iter().map(|b| b.0).collect::<Vec<_>>();
        assert_eq!(table.nearest(&query, 20).iter().map(|n| n.index).collect::<Vec<_>>(), best);
        let took = median_ms(|| {
            let sentence = ["Place the plate on the dining table".to_owned()];
            black_box(built_in().embed(black_box(&sentence))).ok();
            black_box(table.nearest(black_box(&query), 20));
        });
        let kept = if took <= BAR { "kept" } else { "MISSED" };
        println!(
            "one translation over {STEPS} steps x {dimensions}: {took:.2} ms, median of 101; the bar of {BAR} ms is {kept}"
        );
        let mut group = c.benchmark_group(format!("nearest 20 of {STEPS} x {dimensions}"));
        group.bench_function("plain f64 loop", |b| b.iter(|| plain(black_box(&wide), black_box(&wide_query), 20)));
        group.bench_function("table", |b| b.iter(|| table.nearest(black_box(&query), 20)));
        group.finish();
    }
    let sentence = ["Place the plate on the dining table".to_owned()];
    c.bench_function("a sentence by the built-in table", |b| b.iter(|| built_in().embed(black_box(&sentence))));
}

criterion_group!(benches, search);
criterion_main!(benches);
