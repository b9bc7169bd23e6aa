import CarillonCore

/// The view that the user chose on the screen of `carillon top`. No I/O.
struct TopView: Equatable {
    /// The order of the messages.
    enum Order: String, CaseIterable {
        /// The messages that move fastest come first.
        case rate
        /// The messages with the most devices left come first.
        case left
        /// The oldest messages come first.
        case age
        /// The order by app, then by number.
        case app

        /// Returns the messages in this order.
        func sorted(_ messages: [ServerStatistics.SendingMessage]) -> [ServerStatistics.SendingMessage] {
            switch self {
            // The order of the server.
            case .rate: messages
            case .left: messages.sorted { ($1.remainingCount, $0.id) < ($0.remainingCount, $1.id) }
            case .age: messages.sorted { ($0.acceptedAt, $0.id) < ($1.acceptedAt, $1.id) }
            case .app: messages.sorted { ($0.app.name, $0.id) < ($1.app.name, $1.id) }
            }
        }
    }

    var order = Order.rate
    /// True if no new samples are taken.
    var isPaused = false
    /// True if the help is shown instead of the statistics.
    var showsHelp = false
    /// True if the command ends.
    var hasEnded = false

    /// Changes the view as a key asks for. While the help is shown, any key but `q` only closes it.
    mutating func press(_ key: Character) {
        switch key {
        case "q", "Q": hasEnded = true
        case _ where showsHelp: showsHelp = false
        case "?", "h": showsHelp = true
        case "p", " ": isPaused.toggle()
        case "s":
            let orders = Order.allCases
            let next = (orders.firstIndex(of: order) ?? 0) + 1
            order = orders[next % orders.count]
        default: break
        }
    }

    /// The keys, for the last line of the screen.
    var keys: String { "?  help    s  sort by \(order.rawValue)    p  \(isPaused ? "go on" : "pause")    q  end" }

    static let help = """
        Keys
          ?        this help; any key closes it
          s        another order of the messages: by rate, devices left, age, app
          p        pauses: the figures stay as they are; p again goes on
          q        ends, as Control-C does

        Lanes
          WAITING  devices in memory that wait for a connection to their provider
          LATER    devices in memory that wait for the time of their next attempt
          LEFT     devices without an outcome, also those that are only on disk;
                   with + there are messages that are not in memory

        Pools      of one credential each; the environment of FCM and of browsers is production
          MORE     connections that are being opened (+) or only wait for answers (-)
          OF       pushes that the provider takes at once
          FAILED   attempts to connect that failed, since the server started

        History    deliveries a second, a column for each sample, the latest on the right
        """
}

extension ServerStatistics.SendingMessage {
    /// The number of devices without an outcome.
    var remainingCount: UInt64 { total - min(total, ended) }
}
