import type { Project } from './projects.ts';

/** testify, table tests and golden files. */
export const STOCK: Project = {
  'stock/stock.go': `package stock

import "fmt"

type Stock struct{ items map[string]int }

func New() *Stock { return &Stock{items: map[string]int{}} }

func (s *Stock) Add(name string, n int) error {
	if n < 0 {
		return fmt.Errorf("stock: negative count %d", n)
	}
	s.items[name] += n
	return nil
}

func (s *Stock) Count(name string) int { return s.items[name] }

func Render(name string, n int) string { return fmt.Sprintf("%s: %d pieces", name, n) }
`,
  'stock/stock_test.go': `package stock

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAdd(t *testing.T) {
	s := New()
	require.NoError(t, s.Add("pen", 2))
	require.NoError(t, s.Add("pen", 3))
	assert.Equal(t, 5, s.Count("pen"))
}

func TestAddRefusesNegative(t *testing.T) {
	err := New().Add("pen", -1)
	assert.EqualError(t, err, "stock: negative count -1")
}

func TestRender(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int
		want string
	}{
		{"pen", 1, "pen: 1 pieces"},
		{"ink", 0, "ink: 0 pieces"},
		{"", 2, ": 2 pieces"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Render(tc.name, tc.n); got != tc.want {
				t.Errorf("Render(%q, %d) = %q, want %q", tc.name, tc.n, got, tc.want)
			}
		})
	}
}

func TestGolden(t *testing.T) {
	want, err := os.ReadFile("testdata/render.golden")
	require.NoError(t, err)
	assert.Equal(t, string(want), Render("pen", 12))
}
`,
  'stock/testdata/render.golden': 'pen: 12 pieces',
  Makefile: 'test:\n\tgo vet ./...\n\tgo test -race ./...\n',
};

/** proptest, insta and should_panic. */
export const CRATE: Project = {
  'Cargo.toml': '[package]\nname = "ring"\nversion = "0.1.0"\n\n[dev-dependencies]\nproptest = "1"\ninsta = "1"\n',
  'src/lib.rs': `pub struct Ring {
    items: Vec<u32>,
    limit: usize,
}

impl Ring {
    pub fn new(limit: usize) -> Self {
        assert!(limit > 0, "limit must be positive");
        Ring { items: Vec::new(), limit }
    }

    pub fn push(&mut self, item: u32) -> Option<u32> {
        self.items.push(item);
        if self.items.len() > self.limit { Some(self.items.remove(0)) } else { None }
    }

    pub fn describe(&self) -> String {
        format!("{} of {}", self.items.len(), self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_out_the_oldest() {
        let mut ring = Ring::new(2);
        assert_eq!(ring.push(1), None);
        assert_eq!(ring.push(2), None);
        assert_eq!(ring.push(3), Some(1));
    }

    #[test]
    #[should_panic(expected = "limit must be positive")]
    fn refuses_no_limit() {
        Ring::new(0);
    }
}
`,
  'tests/properties.rs': `use proptest::prelude::*;
use ring::Ring;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn never_holds_more(limit in 1usize..10, items in proptest::collection::vec(any::<u32>(), 0..50)) {
        let mut ring = Ring::new(limit);
        for item in &items { ring.push(*item); }
        prop_assert_eq!(ring.describe(), format!("{} of {}", items.len().min(limit), limit));
    }
}

#[test]
fn describes_itself() {
    let mut ring = Ring::new(2);
    ring.push(7);
    insta::assert_snapshot!(ring.describe(), @"1 of 2");
}

#[test]
fn describes_a_full_one() {
    let mut ring = Ring::new(1);
    ring.push(7);
    insta::assert_snapshot!(ring.describe());
}
`,
  'tests/snapshots/properties__describes_a_full_one.snap':
    '---\nsource: tests/properties.rs\nexpression: ring.describe()\n---\n1 of 1\n',
};
