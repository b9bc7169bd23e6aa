import CarillonCore

/// Positions in the log of a cluster (Protocol 6.5): what was written at one node is read at the next.
extension CallDispatcher {
    /// The server of a connection has said how far it is.
    func positionReported(_ number: UInt64, on connection: ClientConnection) {
        guard let cluster = connection.cluster else { return }
        let position = ClusterPosition(cluster: cluster, number: number)
        guard positions.observe(position), let current, current !== connection else { return }
        sendPosition(on: current)
    }

    /// The program has had a position from another client.
    func observe(_ position: ClusterPosition) {
        if let current, current.isOpen, current.cluster != position.cluster { return }
        if positions.observe(position), let current, current.isOpen { sendPosition(on: current) }
    }

    /// What is submitted on the connection from now on is to see what this client has seen.
    func sendPosition(on connection: ClientConnection) {
        guard let position = positions.greatest, position.cluster == connection.cluster else { return }
        connection.sendPosition(position.number)
    }

    /// A node of a cluster has refused a request because it may be behind: the next requests go to another address if
    /// there is one.
    func nodeIsBehind(_ connection: ClientConnection, _ error: CarillonError) {
        guard addresses.count > 1, current === connection else { return }
        drain(connection, milliseconds: error.retryAfter?.milliseconds ?? 0, reason: error.message)
        submitQueued()
        connection.drain()
    }
}
