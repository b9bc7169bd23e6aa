import Testing

@testable import carillon_dump

/// The progress of a long command, as the terminal shows it.
struct RowProgressTests {
    @Test func `progress shows rate and time left`() {
        var progress = RowProgress("exported", of: 3_000)
        progress.advance(by: 1_500)
        #expect(progress.makeText(afterMilliseconds: 500) == "exported 1,500 of 3,000  3,000/s  500 ms left")
    }
}
