/// An operation whose answer is a page.
package protocol PagedOperation: Operation {
    /// The number of rows wanted, 1 to 1,000.
    var limit: UInt32 { get set }
}

extension PagedOperation {
    package func limited(toBytes bytes: UInt32) -> Self {
        var shortened = self
        shortened.limit = min(limit, Self.rules.rows(within: bytes))
        return shortened
    }

    package func limitedForUsualRows(toBytes bytes: UInt32) -> Self {
        // A row has rarely less than a sixteenth of the longest, and such a page costs little more than one that fits.
        let (rows, overflows) = Self.rules.rows(within: bytes).multipliedReportingOverflow(by: 16)
        var shortened = self
        shortened.limit = overflows ? limit : min(limit, rows)
        return shortened
    }

    package func shortened(afterBytes encoded: Int, maximumBytes bytes: UInt32) -> Self? {
        let minimum = limited(toBytes: bytes).limit
        guard limit > minimum, encoded > 0 else { return nil }
        var shortened = self
        // Seven eighths of the rows that would fit if all rows were alike.
        let fitting = UInt32(clamping: UInt64(limit) * UInt64(bytes) / UInt64(encoded) * 7 / 8)
        shortened.limit = max(minimum, min(fitting, limit - 1))
        return shortened
    }
}
