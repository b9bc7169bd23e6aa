package import CarillonCore

/// A position in the log of a cluster (Protocol 6.5) as the header `carillon-position` has it: the UUID of the cluster,
/// a colon and the number.
package struct ClusterPosition: Hashable, Sendable, CustomStringConvertible {
    /// The name of the header, in lower case.
    package static let headerName = "carillon-position"

    /// Names the log of the cluster.
    package var cluster: UUIDBytes
    /// The number of an entry of that log.
    package var number: UInt64

    /// Makes it from its parts.
    package init(cluster: UUIDBytes, number: UInt64) { (self.cluster, self.number) = (cluster, number) }

    /// This position, or what the client has seen of the same cluster if that is later: a client gives the last header
    /// back, and must not fall behind what it has seen.
    package func notBefore(_ seen: ClusterPosition?) -> ClusterPosition {
        guard let seen, seen.cluster == cluster, seen.number > number else { return self }
        return seen
    }

    /// The value of the header.
    package var description: String { "\(cluster):\(number)" }

    /// Reads the value of the header.
    package init(_ text: String) throws(GatewayError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let cluster = UUIDBytes(String(parts[0])),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(parts[1])
        else {
            throw .invalid("the header carillon-position is not as an answer had it", field: Self.headerName)
        }
        self.init(cluster: cluster, number: number)
    }
}
