import CarillonCore

/// The routes of the recipients of a page, which are looked up once for many recipients.
struct PageRoutes {
    private let routes: ByDestination<PoolAvailability.Route>
    /// The destinations whose recipients have waited too long for their pool; nil if there are none.
    private let endsWaiting: ByDestination<Bool>?

    init(_ routes: ByDestination<PoolAvailability.Route>, endsWaiting: ByDestination<Bool>?) {
        self.routes = routes
        self.endsWaiting = endsWaiting
    }

    subscript(destination: PushDestination) -> PoolAvailability.Route { routes[destination] }

    /// Returns true if recipients for a destination have waited longer for their pool than a push that is tried once
    /// may.
    func endsWaiting(for destination: PushDestination) -> Bool { endsWaiting?[destination] ?? false }
}
