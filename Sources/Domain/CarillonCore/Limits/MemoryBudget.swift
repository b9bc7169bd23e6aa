/// The memory that all connections of a server may hold together. Each principal and all long reads have a share of it
/// at most, so neither one principal nor many pages of long reads can take all of it.
///
/// Bytes are the size of requests and answers in memory, not on the wire.
package struct MemoryBudget: Sendable {
    /// The purpose for which memory is held.
    package enum Use: Int, CaseIterable, Sendable {
        /// The bytes that were read, requests without an answer, and answers that the socket has not taken.
        case requests
        /// The long reads that wait, and the page that is being read.
        case longReads
    }

    private struct Usage: Sendable {
        var requests = 0
        var longReads = 0

        var all: Int { requests + longReads }

        subscript(use: Use) -> Int {
            get { use == .requests ? requests : longReads }
            set { if use == .requests { requests = newValue } else { longReads = newValue } }
        }
    }

    /// The bytes that may be held in all.
    package var limitBytes: Int
    private var usage = Usage()
    private var byPrincipal: [String: Usage] = [:]

    package init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    package var usedBytes: Int { usage.all }

    /// The bytes that the connections of one principal may hold together.
    package var principalLimitBytes: Int { limitBytes / 2 }

    /// Takes bytes for a principal; returns false without taking any if they do not fit.
    ///
    /// A principal gets at most half of the memory. Long reads get at most half of the memory, and at most half of a
    /// principal's share.
    package mutating func take(_ bytes: Int, for use: Use, of principal: String) -> Bool {
        let before = byPrincipal[principal] ?? Usage()
        guard fits(bytes, above: usage.all, within: limitBytes),
            fits(bytes, above: before.all, within: principalLimitBytes)
        else { return false }
        if use == .longReads {
            guard fits(bytes, above: usage.longReads, within: limitBytes / 2),
                fits(bytes, above: before.longReads, within: principalLimitBytes / 2)
            else { return false }
        }
        usage[use] += bytes
        byPrincipal[principal, default: Usage()][use] += bytes
        return true
    }

    package mutating func giveBack(_ bytes: Int, of use: Use, by principal: String) {
        usage[use] -= bytes
        guard var left = byPrincipal[principal] else { return }
        left[use] -= bytes
        byPrincipal[principal] = left.all > 0 ? left : nil
    }

    private func fits(_ bytes: Int, above held: Int, within limit: Int) -> Bool {
        bytes <= limit - held
    }
}
