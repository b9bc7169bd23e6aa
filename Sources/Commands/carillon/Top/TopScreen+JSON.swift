import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Formats the screen of `carillon top` as JSON.
extension TopScreen {
    /// The screen as JSON; its names are stable.
    var json: JSON {
        .members([
            "statistics": statistics.json,
            "rates": rates?.json,
            "failures": .list(failures.map { EventStreamElement.event($0).json }),
        ])
    }
}

extension ServerStatistics {
    /// The statistics as JSON; their names are stable.
    var json: JSON {
        .members([
            "at_ms": .number(at.milliseconds), "started_at_ms": .number(startedAt.milliseconds),
            "software": .text(software), "clients": .number(UInt64(clients)),
            "half_open": .number(UInt64(halfOpen)), "requests": .list(requests.map(\.json)),
            "batches": batches.json, "lanes": .list(lanes.map(\.json)), "unrecorded": .number(UInt64(unrecorded)),
            "sending": .list(sending.map(\.json)),
            "outcomes": .object(
                outcomes.sorted { $0.key < $1.key }.map { JSON.Member(name: $0.key.name, value: .number($0.value)) }),
            "pools": .list(pools.map(\.json)), "database": database?.json, "registry_counts": registryCounts?.json,
            "cluster": cluster?.json(asked: nil),
        ])
    }
}

extension ServerStatistics.RequestCount {
    fileprivate var json: JSON {
        .members([
            "operation": .text(operation), "result": .text(error?.name ?? "ok"), "count": .number(count),
            "time_us": .number(microseconds),
        ])
    }
}

extension ServerStatistics.Batches {
    fileprivate var json: JSON {
        .members([
            "count": .number(count), "changes": .number(changes), "time_us": .number(microseconds),
            "latest_us": .list(latest.map { .number(UInt64($0)) }), "changes_waiting": .number(UInt64(waiting)),
        ])
    }
}

extension ServerStatistics.LaneLoad {
    fileprivate var json: JSON {
        .members([
            "lane": .text(String(describing: lane)), "messages": .number(UInt64(messages)),
            "waiting": .number(UInt64(waiting)), "delayed": .number(UInt64(delayed)),
            "in_flight": .number(UInt64(inFlight)),
        ])
    }
}

extension ServerStatistics.SendingMessage {
    fileprivate var json: JSON {
        .members([
            "message_id": .number(id.rawValue), "app": .text(app.name), "lane": .text(String(describing: lane)),
            "accepted_at_ms": .number(acceptedAt.milliseconds), "total": .number(total), "ended": .number(ended),
            "in_flight": .number(UInt64(inFlight)), "rate": .number(UInt64(rate)),
        ])
    }
}

extension ServerStatistics.Pool {
    fileprivate var json: JSON {
        .members([
            "credential": .text(credential), "environment": .text(environment.name), "parked": .bool(isParked),
            "opening": .number(UInt64(opening)), "open": .number(UInt64(open)), "draining": .number(UInt64(draining)),
            "in_flight": .number(UInt64(inFlight)), "streams": .number(UInt64(streams)),
            "throttle": throttle.map { .number(UInt64($0)) }, "attempts": .number(attempts),
            "answers": .list(
                answers.map { answer in
                    .members([
                        "status": .number(UInt64(answer.status)), "reason": .text(answer.reason),
                        "count": .number(answer.count),
                    ])
                }),
            "unreachable": .bool(isUnreachable), "failures": .number(failures),
            "last_failure": lastFailure.map {
                .members(["at_ms": .number($0.at.milliseconds), "reason": .text($0.reason)])
            },
            "outage": outage.map {
                .members([
                    "since_ms": .number($0.since.milliseconds),
                    "next_attempt_ms": $0.nextAttemptAt.map { .number($0.milliseconds) },
                    "cause": .text($0.cause.rawValue),
                ])
            },
        ])
    }
}

extension ServerStatistics.Database {
    fileprivate var json: JSON {
        .members([
            "bytes": .number(bytes), "free_bytes": .number(freeBytes), "map_bytes": .number(mapBytes),
            "limit_bytes": .number(limitBytes), "readers": .number(UInt64(readers)),
            "reader_age_commits": .number(readerAgeCommits), "messages": .number(messages),
            "unfinished": .number(unfinished), "scheduled": .number(scheduled),
        ])
    }
}

extension ServerStatistics.RegistryCounts {
    fileprivate var json: JSON {
        .members([
            "counted_at_ms": .number(at.milliseconds),
            "apps": .list(
                apps.map { app in
                    .members([
                        "app": .text(app.app.name), "devices": .number(app.devices),
                        "devices_by_provider": app.devicesByProvider.map(JSON.counts),
                        "quarantined": .number(app.quarantined), "groups": .number(app.groups),
                        "topics": .number(app.topics),
                    ])
                }),
        ])
    }
}
