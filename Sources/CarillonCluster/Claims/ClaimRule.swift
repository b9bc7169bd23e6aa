import CarillonCore

/// The rule that applies changes of claims to tables. The result depends on the tables, the change and the member only.
package enum ClaimRule {
    /// Applies a change of a member that is live.
    package static func apply<Tables: ClaimTables>(
        _ change: ClaimChange, by member: UInt64, _ live: LiveMembers, to tables: inout Tables
    ) throws(Tables.Failure) -> ClaimAnswer {
        switch change {
        case .open(let message, let silentApp):
            guard try tables.claims(of: message) == nil else { return .refused }
            try tables.set((.whole, silentApp), of: message)
            return try claim(1, of: message, by: member, live, in: &tables)
        case .share(let message, let pages, let first):
            guard var row = try tables.claims(of: message), row.silentApp == nil,
                row.claims.share(pages: pages, from: first, by: member, live)
            else { return .refused }
            try tables.set(row, of: message)
            return .applied
        case .claim(let message, let pages):
            return try claim(pages, of: message, by: member, live, in: &tables)
        case .complete(let message, let first):
            guard var row = try tables.claims(of: message), row.claims.endBlock(at: first, by: member) else {
                return .refused
            }
            try tables.set(row, of: message)
            try endSilentBlock(of: row.silentApp, by: member, in: &tables)
            return .completed(isLast: row.claims.isComplete)
        case .release(let message, let first):
            guard var row = try tables.claims(of: message), row.claims.release(blockAt: first, by: member) else {
                return .refused
            }
            try tables.set(row, of: message)
            try endSilentBlock(of: row.silentApp, by: member, in: &tables)
            return .applied
        case .setOneSender(let message, let hasOneSender):
            guard var row = try tables.claims(of: message), row.claims.isShared else { return .refused }
            row.claims.setOneSender(hasOneSender, live)
            try tables.set(row, of: message)
            return .applied
        case .close(let message):
            guard let row = try tables.claims(of: message) else { return .refused }
            try tables.set(nil, of: message)
            for block in row.claims.blocks {
                guard let owner = block.owner else { continue }
                try endSilentBlock(of: row.silentApp, by: owner, in: &tables)
            }
            return .applied
        }
    }

    private static func claim<Tables: ClaimTables>(
        _ pages: UInt32, of message: MessageID, by member: UInt64, _ live: LiveMembers, in tables: inout Tables
    ) throws(Tables.Failure) -> ClaimAnswer {
        guard var row = try tables.claims(of: message) else { return .refused }
        let silent = try row.silentApp.map { app throws(Tables.Failure) in (app, try tables.silentPushClaim(of: app)) }
        if let silent, !SilentPushClaim.mayClaim(silent.1, by: member, live) { return .claimed([]) }
        let claimed = row.claims.claim(pages, by: member, live)
        guard !claimed.isEmpty else { return .claimed([]) }
        try tables.set(row, of: message)
        if let (app, before) = silent {
            let count = UInt32(clamping: claimed.count)
            try tables.set(SilentPushClaim.afterClaim(before, blocks: count, by: member), of: app)
        }
        return .claimed(claimed)
    }

    private static func endSilentBlock<Tables: ClaimTables>(
        of app: AppID?, by member: UInt64, in tables: inout Tables
    ) throws(Tables.Failure) {
        guard let app, let claim = try tables.silentPushClaim(of: app) else { return }
        try tables.set(SilentPushClaim.afterBlockEnded(claim, by: member), of: app)
    }
}
