import CarillonCore

/// The recipients of a page of a live audience, and their outcomes.
struct LiveOutcomes: Hashable {
    /// The recipients; never empty.
    let addressed: ChunkBits
    /// The outcomes by offset in the chunk; 0 also for devices that are no recipients.
    private(set) var byOffset: [UInt8]

    init(pending addressed: ChunkBits) {
        self.addressed = addressed
        byOffset = Array(repeating: Outcome.pending.rawValue, count: ChunkBits.width)
    }

    /// Makes outcomes; `byOffset` has one for each offset.
    init(addressed: ChunkBits, byOffset: [UInt8]) {
        self.addressed = addressed
        self.byOffset = byOffset
    }

    subscript(offset: UInt16) -> UInt8 {
        get { byOffset[Int(offset)] }
        set { byOffset[Int(offset)] = newValue }
    }

    /// The outcome that all recipients have; nil if they have several.
    var common: UInt8? {
        var common: UInt8?
        var isCommon = true
        byOffset.withUnsafeBufferPointer { bytes in
            // Most pages are full: their recipients are one run, or few.
            addressed.forEachRun { run in
                let first = common ?? bytes[run.lowerBound]
                common = first
                for offset in run where bytes[offset] != first { return isCommon = false }
            }
        }
        return isCommon ? common ?? Outcome.pending.rawValue : nil
    }

    var pending: ChunkBits {
        var pending = addressed
        for offset in addressed where self[offset] != Outcome.pending.rawValue { pending.remove(offset) }
        return pending
    }
}
