import CarillonCluster
import CarillonPostgreSQL

/// A report for an operator, in lines: the nodes of a cluster as its shared log knows them.
package enum ClusterReport {
    /// How long the log database may take to answer, in milliseconds.
    private static let timeoutMilliseconds: UInt64 = 10_000

    /// Asks the shared log that the settings name, without being a node.
    ///
    /// - Throws: `SettingsError` if no log database is named, it cannot be used, or it does not answer.
    package static func read(_ settings: Settings) async throws(SettingsError) -> String {
        guard !settings.cluster.url.isEmpty else {
            throw SettingsError("cluster.url", fault: "is empty, so there is no cluster to ask about")
        }
        do throws(LogError) {
            let log = try PostgreSQLLog(settings.cluster.url)
            defer { log.close() }
            let result: Result<ClusterView, LogError> = await withCheckedContinuation { continuation in
                log.view(withinMilliseconds: timeoutMilliseconds) { continuation.resume(returning: $0) }
            }
            return text(of: try result.get())
        } catch {
            throw SettingsError("cluster.url", fault: "\(error)")
        }
    }

    /// Returns lines about the shared log, its nodes in the order of their names, and its snapshots.
    static func text(of view: ClusterView) -> String {
        let head = view.ends.head
        let trimmed = view.ends.trimmed
        var lines = ["log \(view.log), position \(head), entries kept \(head.distance(from: trimmed))"]
        let rows = view.nodes.map { node in
            [
                node.member.node.text, node.isLive ? "live" : "over", "\(node.member.incarnation)",
                "\(node.progress.applied)", "\(head.distance(from: node.progress.applied))",
                "\(node.silenceMilliseconds / 1_000) s", node.progress.version, node.progress.address,
            ]
        }
        lines += table([["node", "state", "incarnation", "position", "lag", "silent", "version", "address"]] + rows)
        lines += view.snapshots.map {
            "snapshot at position \($0.header.position), made by \($0.header.member), \($0.bytes) bytes"
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the rows as lines whose columns begin below each other, two spaces apart.
    private static func table(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
