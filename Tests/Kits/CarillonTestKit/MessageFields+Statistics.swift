import CarillonCore

/// The fields of the statistics of a server.
extension MessageFields {
    static func fields(_ it: ServerStatistics) -> [String: Any] {
        var fields: [String: Any] = [
            "at": text(it.at.milliseconds), "started_at": text(it.startedAt.milliseconds), "software": it.software,
            "clients": it.clients, "half_open": it.halfOpen,
            "requests": it.requests.map {
                [
                    "opcode": $0.opcode, "code": $0.error?.rawValue ?? 0, "count": text($0.count),
                    "micros": text($0.microseconds),
                ] as [String: Any]
            },
            "queued_changes": it.batches.waiting, "batches": text(it.batches.count),
            "changes": text(it.batches.changes), "batch_micros": text(it.batches.microseconds),
            "latest_batches": it.batches.latest, "unrecorded": it.unrecorded,
            "lanes": it.lanes.map {
                [
                    "lane": $0.lane.rawValue, "messages": $0.messages, "waiting": $0.waiting, "delayed": $0.delayed,
                    "in_flight": $0.inFlight,
                ] as [String: Any]
            },
            "sending": it.sending.map {
                [
                    "message_id": text($0.id.rawValue), "app": $0.app.name, "lane": $0.lane.rawValue,
                    "accepted_at": text($0.acceptedAt.milliseconds), "total": text($0.total), "ended": text($0.ended),
                    "in_flight": $0.inFlight, "rate": $0.rate,
                ] as [String: Any]
            },
            "outcomes": it.outcomes.sorted { $0.key < $1.key }.map {
                ["outcome": $0.key.rawValue, "devices": text($0.value)] as [String: Any]
            },
            "pools": it.pools.map(pool),
            "answers": it.pools.enumerated().flatMap { index, pool in
                pool.answers.map {
                    ["pool": index, "status": $0.status, "reason": $0.reason, "count": text($0.count)]
                        as [String: Any]
                }
            },
        ]
        let failures = it.pools.enumerated().filter { $1.failures > 0 || $1.isUnreachable }.map { index, pool in
            [
                "pool": index, "unreachable": pool.isUnreachable ? 1 : 0, "count": text(pool.failures),
                "last_at": text(pool.lastFailure?.at.milliseconds ?? 0), "reason": pool.lastFailure?.reason ?? "",
            ] as [String: Any]
        }
        if !failures.isEmpty { fields["failures"] = failures }
        let outages = it.pools.enumerated().compactMap { index, pool in
            pool.outage.map {
                [
                    "pool": index, "began_at": text($0.since.milliseconds),
                    "next_attempt_at": text($0.nextAttemptAt?.milliseconds ?? 0), "cause": $0.cause.rawValue,
                ] as [String: Any]
            }
        }
        if !outages.isEmpty { fields["outages"] = outages }
        if let cluster = it.cluster { fields.merge(Self.fields(cluster)) { $1 } }
        if let database = it.database { fields.merge(Self.fields(database)) { $1 } }
        guard let registryCounts = it.registryCounts else { return fields }
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

    private static func devicesByProvider(_ it: ServerStatistics.RegistryCounts) -> [[String: Any]]? {
        let counts = it.apps.compactMap(\.devicesByProvider)
        return counts.isEmpty
            ? nil : counts.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.name, text($1)) }) }
    }

    static func pool(_ it: ServerStatistics.Pool) -> [String: Any] {
        [
            "credential": it.credential, "environment": it.environment.rawValue, "parked": it.isParked ? 1 : 0,
            "opening": it.opening, "open": it.open, "draining": it.draining, "in_flight": it.inFlight,
            "streams": it.streams, "throttle": it.throttle ?? 0, "attempts": text(it.attempts),
        ]
    }

    static func fields(_ it: ServerStatistics.Database) -> [String: Any] {
        [
            "database_bytes": text(it.bytes), "free_bytes": text(it.freeBytes), "map_bytes": text(it.mapBytes),
            "limit_bytes": text(it.limitBytes), "readers": it.readers, "reader_age_commits": text(it.readerAgeCommits),
            "kept": text(it.messages), "unfinished": text(it.unfinished), "scheduled": text(it.scheduled),
        ]
    }

    static func fields(_ it: ServerStatistics.Cluster) -> [String: Any] {
        var fields: [String: Any] = ["log_position": text(it.position), "log_entries": text(it.entries)]
        fields["snapshot_position"] = it.snapshot.map(text)
        guard !it.nodes.isEmpty else { return fields }
        fields["nodes"] = it.nodes.map {
            [
                "node": $0.name, "incarnation": text($0.incarnation), "over": $0.isLive ? 0 : 1,
                "position": text($0.position), "hash": Hex.string($0.hash.bytes), "silent_ms": $0.silentMilliseconds,
                "lease_ms": $0.leaseMilliseconds, "format": $0.format, "version": $0.version, "address": $0.address,
            ] as [String: Any]
        }
        guard it.nodes.contains(where: { $0.claims != nil }) else { return fields }
        fields["claims"] = it.nodes.compactMap(\.claims).map {
            ["messages": $0.messages, "blocks": $0.blocks, "pages": text($0.pages)] as [String: Any]
        }
        return fields
    }
}
