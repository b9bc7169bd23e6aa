import CarillonTestKit
import Foundation
import Testing

@testable import CarillonLMDB

/// The pages that a transaction has changed, as they are estimated.
struct ChangeTallyTests {
    private let scratch = LMDBDirectory()

    /// Returns the estimate for a number of rows, and the pages that the commit has written.
    private func pages(of keys: [UInt32], valueBytes: Int = 60) throws -> (estimated: Int, written: Int) {
        let environment = try scratch.open(mapBytes: 256 << 20)
        let database = try environment.openDatabase("one", ifMissing: .create)
        let before = try environment.space().usedPages
        let value = [UInt8](repeating: 5, count: valueBytes)
        var estimated = 0
        try environment.write { (transaction) throws in
            for key in keys {
                let key = bigEndian(7) + bigEndian(0) + bigEndian(key)
                try transaction.put(value.span, for: key.span, in: database)
            }
            estimated = try transaction.changedPages()
        }
        return (estimated, try environment.space().usedPages - before)
    }

    @Test func `adjacent rows share their pages`() throws {
        let (estimated, written) = try pages(of: Array(1...50_000))
        #expect(estimated >= written / 2, "\(estimated) of \(written)")
        #expect(estimated <= 3 * written, "\(estimated) of \(written)")
    }

    @Test func `distant rows count one page each`() throws {
        _ = try pages(of: Array(1...50_000))
        // Each row is far from the row before.
        let (estimated, _) = try pages(of: (1...500).map { $0 &* 7_919 % 50_000 })
        #expect(estimated > 300)
    }
}
