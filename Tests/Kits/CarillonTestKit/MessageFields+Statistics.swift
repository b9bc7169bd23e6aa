import CarillonCore

/// The fields of the statistics of a server.
extension MessageFields {
    static func fields(_ statistics: ServerStatistics) -> [String: Any] {
        var fields: [String: Any] = [
            "at": text(statistics.at.milliseconds), "started_at": text(statistics.startedAt.milliseconds),
            "software": statistics.software,
            "clients": statistics.clients, "half_open": statistics.halfOpen,
            "requests": statistics.requests.map {
                [
                    "opcode": $0.opcode, "code": $0.error?.rawValue ?? 0, "count": text($0.count),
                    "micros": text($0.microseconds),
                ] as [String: Any]
            },
            "queued_changes": statistics.batches.waiting, "batches": text(statistics.batches.count),
            "changes": text(statistics.batches.changes), "batch_micros": text(statistics.batches.microseconds),
            "latest_batches": statistics.batches.latest, "unrecorded": statistics.unrecorded,
            "lanes": statistics.lanes.map {
                [
                    "lane": $0.lane.rawValue, "messages": $0.messages, "waiting": $0.waiting, "delayed": $0.delayed,
                    "in_flight": $0.inFlight,
                ] as [String: Any]
            },
            "sending": statistics.sending.map {
                [
                    "message_id": text($0.id.rawValue), "app": $0.app.name, "lane": $0.lane.rawValue,
                    "accepted_at": text($0.acceptedAt.milliseconds), "total": text($0.total), "ended": text($0.ended),
                    "in_flight": $0.inFlight, "rate": $0.rate,
                ] as [String: Any]
            },
            "outcomes": statistics.outcomes.sorted { $0.key < $1.key }.map {
                ["outcome": $0.key.rawValue, "devices": text($0.value)] as [String: Any]
            },
            "pools": statistics.pools.map(pool),
            "answers": statistics.pools.enumerated().flatMap { index, pool in
                pool.answers.map {
                    ["pool": index, "status": $0.status, "reason": $0.reason, "count": text($0.count)]
                        as [String: Any]
                }
            },
        ]
        let failures = statistics.pools.enumerated().filter { $1.failures > 0 || $1.isUnreachable }.map { index, pool in
            [
                "pool": index, "unreachable": pool.isUnreachable ? 1 : 0, "count": text(pool.failures),
                "last_at": text(pool.lastFailure?.at.milliseconds ?? 0), "reason": pool.lastFailure?.reason ?? "",
            ] as [String: Any]
        }
        if !failures.isEmpty { fields["failures"] = failures }
        let outages = statistics.pools.enumerated().compactMap { index, pool in
            pool.outage.map {
                [
                    "pool": index, "began_at": text($0.since.milliseconds),
                    "next_attempt_at": text($0.nextAttemptAt?.milliseconds ?? 0), "cause": $0.cause.rawValue,
                ] as [String: Any]
            }
        }
        if !outages.isEmpty { fields["outages"] = outages }
        if let cluster = statistics.cluster { fields.merge(Self.fields(cluster)) { $1 } }
        if let database = statistics.database { fields.merge(Self.fields(database)) { $1 } }
        guard let registryCounts = statistics.registryCounts else { return fields }
        fields["counted_at"] = text(registryCounts.at.milliseconds)
        guard !registryCounts.apps.isEmpty else { return fields }
        fields["apps"] = registryCounts.apps.map {
            [
                "app": $0.app.name, "devices": text($0.devices), "quarantined": text($0.quarantined),
                "groups": text($0.groups), "topics": text($0.topics),
            ] as [String: Any]
        }
        if let providers = devicesByProvider(registryCounts) { fields["devices_by_provider"] = providers }
        return fields
    }

    private static func devicesByProvider(_ registryCounts: ServerStatistics.RegistryCounts) -> [[String: Any]]? {
        let counts = registryCounts.apps.compactMap(\.devicesByProvider)
        return counts.isEmpty
            ? nil : counts.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.name, text($1)) }) }
    }

    static func pool(_ pool: ServerStatistics.Pool) -> [String: Any] {
        [
            "credential": pool.credential, "environment": pool.environment.rawValue, "parked": pool.isParked ? 1 : 0,
            "opening": pool.opening, "open": pool.open, "draining": pool.draining, "in_flight": pool.inFlight,
            "streams": pool.streams, "throttle": pool.throttle ?? 0, "attempts": text(pool.attempts),
        ]
    }

    static func fields(_ database: ServerStatistics.Database) -> [String: Any] {
        [
            "database_bytes": text(database.bytes), "free_bytes": text(database.freeBytes),
            "map_bytes": text(database.mapBytes),
            "limit_bytes": text(database.limitBytes), "readers": database.readers,
            "reader_age_commits": text(database.readerAgeCommits),
            "kept": text(database.messages), "unfinished": text(database.unfinished),
            "scheduled": text(database.scheduled),
        ]
    }

    static func fields(_ cluster: ServerStatistics.Cluster) -> [String: Any] {
        var fields: [String: Any] = ["log_position": text(cluster.position), "log_entries": text(cluster.entries)]
        fields["snapshot_position"] = cluster.snapshot.map(text)
        guard !cluster.nodes.isEmpty else { return fields }
        fields["nodes"] = cluster.nodes.map {
            [
                "node": $0.name, "incarnation": text($0.incarnation), "over": $0.isLive ? 0 : 1,
                "position": text($0.position), "hash": Hex.string($0.hash.bytes), "silent_ms": $0.silentMilliseconds,
                "lease_ms": $0.leaseMilliseconds, "format": $0.format, "version": $0.version, "address": $0.address,
            ] as [String: Any]
        }
        guard cluster.nodes.contains(where: { $0.claims != nil }) else { return fields }
        fields["claims"] = cluster.nodes.compactMap(\.claims).map {
            ["messages": $0.messages, "blocks": $0.blocks, "pages": text($0.pages)] as [String: Any]
        }
        return fields
    }
}
