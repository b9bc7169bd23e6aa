import ArgumentParser
import CarillonClient
import CarillonCommandLine

/// The address of a server, as `host:port`, `[address]:port` or `unix:path`.
struct AddressArgument: ExpressibleByArgument, Equatable {
    var address: CarillonClient.Configuration.Address

    init(address: CarillonClient.Configuration.Address) {
        self.address = address
    }

    init?(argument: String) {
        guard let address = CarillonClient.Configuration.Address(argument) else { return nil }
        self.address = address
    }

    /// True if the connection stays on this machine: loopback or a Unix socket.
    var isLocal: Bool { address.isLocal }
}
