package import CarillonCore

/// A position as the header `carillon-position` has it: its description.
extension ClusterPosition {
    /// The name of the header, in lower case.
    package static let headerName = "carillon-position"

    /// Returns this position, or the one that the client has seen of the same cluster if that is later. A client gives
    /// back the last header that it got, and must not fall behind what it has seen.
    package func raised(to seen: ClusterPosition?) -> ClusterPosition {
        guard let seen, seen.cluster == cluster, seen.number > number else { return self }
        return seen
    }

    /// Reads the value of the header.
    package init(header value: String) throws(GatewayError) {
        guard let position = ClusterPosition(value) else {
            throw .invalid("the header carillon-position is not as an answer had it", field: Self.headerName)
        }
        self = position
    }
}
