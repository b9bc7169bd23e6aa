/// A position in the log of a cluster. A state that contains the position contains every change that was answered at or
/// before it (Protocol 6.5).
///
/// A client keeps the highest position that it has seen, and reads only states that contain it, whichever node it is
/// connected to. To read with another client what this one has written, pass the position on, for example as text in a
/// header of your own requests.
public struct ClusterPosition: Hashable, Sendable, LosslessStringConvertible {
    /// The cluster: a position in the log of one cluster means nothing in another.
    public var cluster: UUIDBytes
    /// The number of the entry in the log.
    public var number: UInt64

    /// Makes the position of an entry in the log of that cluster.
    public init(cluster: UUIDBytes, number: UInt64) { (self.cluster, self.number) = (cluster, number) }

    /// The text of the position: the cluster, a colon and the number.
    public var description: String { "\(cluster):\(number)" }

    /// Reads a position from its description; returns nil for other text.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        // UInt64 would also read a sign, which no description has.
        guard parts.count == 2, let cluster = UUIDBytes(String(parts[0])),
            parts[1].utf8.allSatisfy(\.isASCIIDigit), let number = UInt64(parts[1])
        else { return nil }
        self.init(cluster: cluster, number: number)
    }
}
