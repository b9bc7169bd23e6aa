import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The tables of a registry that is closed, read and written by hand.
extension RegistryDirectory {
    /// Calls `body` with the environment and the tables of the registry, which must be closed.
    func edit(_ body: (LMDBEnvironment, Tables) throws -> Void) throws {
        var options = LMDBEnvironment.Options()
        options.mapBytes = 16 << 20
        let environment = try LMDBEnvironment(path: path, options: options)
        // A test may have removed the identity, which is stored in `meta`.
        let meta = MetaTable(database: try environment.openDatabase("meta"))
        let identity = try environment.read { (transaction) throws in try meta.identity(in: transaction) }
        try body(environment, try Tables(environment, identity: identity ?? .random(), ifMissing: .fail))
    }

    /// Makes a closed registry with a row in every table.
    func fillEveryTable() throws {
        let registry = try open()
        try registry.apply([
            .register(1, locale: "en", attributes: ["platform": "ios"], topics: ["level5"], groups: ["user/1"]),
            .register(2), .unregister(3), .subscribe(["guild/7"], groups: ["user/1"]), .mute("user/1"),
        ])
        let german = LanguageBody(language: "de", payload: Array("{}".utf8))
        let live = Message.sample(
            to: .condition(try Condition("!'x' in topics")), excluding: byToken(2), bodies: [german])
        try registry.apply(.accept(live, sender: "shop", now: timestamp(1_000)))
        let first = try #require(try registry.nextPage(of: messageID(1), from: 0))
        let delays = [OutcomeRecord.Delay(position: 1, attempts: 2, dueAt: timestamp(3_000))]
        let attempt = TraceAttempt(
            endedAt: timestamp(2_000), connectionNumber: 1, status: 503, reason: "ServiceUnavailable")
        let delayed = OutcomeRecord(
            message: first.message, page: 0, endedRecipients: [], delays: delays,
            attempts: [OutcomeRecord.RecordedAttempt(position: 1, attempt: attempt)], addressed: first.addressed)
        try registry.apply(.recordOutcomes(delayed, now: timestamp(1_000)))
        try registry.apply(.accept(.sample(to: [byToken(1), byToken(9)], key: 5), now: timestamp(1_000)))
        try registry.apply(.accept(.sample(to: [byToken(9)]), now: timestamp(1_000)))
        try registry.apply(.recordOutcomes(of: 2, [(1, .tokenUnregistered)], deadSince: 5_000))
        var later = Message.sample(to: .all, pushType: .background)
        later.sendAt = timestamp(9_000)
        var silent = Message.sample(to: [byToken(2)])
        silent.content.pushType = .background
        try registry.apply([.accept(later, now: timestamp(1_000)), .accept(silent, now: timestamp(1_000))])
        try registry.apply([
            .recordOutcomes(of: 5, [(0, .delivered)]),
            .countReceipts(
                ReceiptsRequest(
                    app: game, receipts: [Receipt(message: messageID(5), device: byToken(2), kind: .opened)]),
                now: timestamp(1_000)),
            .acknowledge(EventSubscriber(principal: "shop", name: "mail"), upTo: 1, now: timestamp(1_000)),
            LogSample.browser(replaces: nil),
        ])
        registry.close()
        // Only the node of a cluster has claims.
        try edit { environment, tables in
            try environment.write { transaction in
                let claims = MessageClaims(pageCount: 1, hasOneSender: false)
                try tables.claims?.put(
                    ClaimsRow(claims: claims, silentPushApp: game), of: messageID(1), in: &transaction)
                try tables.claims?.put(.afterClaim(nil, blocks: 1, by: 1), of: game, in: &transaction)
            }
        }
    }

    /// Makes a closed registry with a device and messages to all devices, numbered from 1 on.
    ///
    /// - Parameter sendAt: the time at which the messages are scheduled, in milliseconds; nil for at once.
    func acceptMessages(_ count: Int, sendAt: UInt64? = nil) throws {
        let registry = try open()
        try registry.apply(.register(1))
        for _ in 0..<count {
            var message = Message.sample(to: .all)
            message.sendAt = sendAt.map { timestamp($0) }
            try registry.apply(.accept(message, now: timestamp(1_000)))
        }
        registry.close()
    }

    /// Returns all rows of the closed registry by their tables and keys, without those of `meta`, which each start
    /// changes.
    func rows() throws -> [String: [UInt8]] {
        var rows: [String: [UInt8]] = [:]
        try edit { environment, tables in
            for (name, database) in tables.databases where name != "meta" {
                try environment.read { transaction in
                    try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                        let bytes = value.indices.map { value[$0] }
                        rows["\(name) \(Hex.string(key.indices.map { key[$0] }))"] = bytes
                        return .proceed
                    }
                }
            }
        }
        return rows
    }

    /// Makes the record of a device of the first app unreadable.
    func corruptDevice(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([1, 9, 9] as [UInt8]).span, for: key.span, in: tables.devices.database)
            }
        }
    }

    func corruptMembership(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([9, 9] as [UInt8]).span, for: key.span, in: tables.memberships.database)
            }
        }
    }

    /// Copies the closed database without a table, as a program makes it that does not know the table.
    func copy(without table: String) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        let target = try LMDBEnvironment(path: copy.path, options: options)
        try edit { environment, tables in
            for (name, database) in tables.databases where name != table {
                let copied = try target.openDatabase(name, ifMissing: .create)
                try environment.read { reading in
                    try target.write { writing in
                        try reading.forEach(in: database, prefix: [UInt8]().span) { key, value in
                            try writing.put(value, for: key, in: copied)
                            return .proceed
                        }
                    }
                }
            }
        }
        return copy
    }

    func corruptMessage(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([99] as [UInt8]).span, for: key.span, in: tables.messages.database)
            }
        }
    }

    /// Stores the number of another schema; removes the secret if that schema had none.
    func setSchema(_ number: UInt8, withSecret: Bool = true) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                try transaction.put([0, 0, 0, number].span, for: Array("schema".utf8).span, in: tables.meta.database)
                guard !withSecret else { return }
                _ = try transaction.delete(Array("secret".utf8).span, in: tables.meta.database)
            }
        }
    }
}

extension AddressSecret {
    /// The key of digests where no database has made one.
    static let test = AddressSecret(first: 1, second: 2)
}
