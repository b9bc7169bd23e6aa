import CarillonCommandLine
import CarillonCore

/// Formats the state of a cluster for users and as JSON.
extension ServerStatistics.Cluster {
    /// Returns the cluster as JSON; its names are stable.
    ///
    /// - Parameter node: the one that was asked.
    func json(asked node: String?) -> JSON {
        .members([
            "asked": node.map { .text($0) }, "log_position": .number(position), "log_entries": .number(entries),
            "snapshot_position": snapshot.map { .number($0) }, "nodes": .list(nodes.map { json(of: $0) }),
        ])
    }

    private func json(of node: ServerStatistics.Node) -> JSON {
        .members([
            "node": .text(node.name), "incarnation": .number(node.incarnation), "state": .text(node.state),
            "position": .number(node.position), "lag": .number(lag(of: node)), "hash": .text(node.hash.description),
            "silent_ms": .number(UInt64(node.silentMilliseconds)), "lease_ms": .number(UInt64(node.leaseMilliseconds)),
            "claimed_messages": node.claims.map { .number(UInt64($0.messages)) },
            "claimed_blocks": node.claims.map { .number(UInt64($0.blocks)) },
            "claimed_pages": node.claims.map { .number($0.pages) },
            "format": .number(UInt64(node.format)), "version": .text(node.version), "address": .text(node.address),
        ])
    }

    func text(asked node: String?) -> String {
        let log = "log at position \(position), \(entries) entries kept"
        let snapshot = snapshot.map { ", snapshot at \($0)" } ?? ""
        let lines = table(asked: node).lines(width: StandardOutput.columns ?? .max)
        return ([log + snapshot] + lines).joined(separator: "\n")
    }

    func table(asked node: String?) -> TextTable {
        var table = TextTable([
            ("NODE", .name), ("STATE", .name), ("INCARNATION", .number), ("POSITION", .number), ("LAG", .number),
            ("SILENT", .number), ("LEASE", .number), ("MESSAGES", .number), ("PAGES", .number), ("HASH", .name),
            ("VERSION", .note), ("ADDRESS", .note),
        ])
        for each in nodes {
            table.add([
                each.name + (each.name == node ? " *" : ""), each.state, "\(each.incarnation)", "\(each.position)",
                "\(lag(of: each))", TimeSpan(milliseconds: UInt64(each.silentMilliseconds)).text,
                each.leaseMilliseconds == 0 ? "-" : TimeSpan(milliseconds: UInt64(each.leaseMilliseconds)).text,
                each.claims.map { "\($0.messages)" } ?? "-", each.claims.map { "\($0.pages)" } ?? "-",
                String(each.hash.description.prefix(8)), each.version, each.address,
            ])
        }
        return table
    }

    /// Returns the number of entries of the log that the node had not applied when it said so.
    private func lag(of node: ServerStatistics.Node) -> UInt64 { position - min(position, node.position) }
}

extension ServerStatistics.Node {
    var state: String {
        guard isLive else { return "over" }
        return leaseMilliseconds == 0 ? "silent" : "live"
    }
}
