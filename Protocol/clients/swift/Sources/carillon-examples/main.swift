// The eight examples of the clients: carillon-examples NAME ARGUMENT… An error is one line and exit status 1.
import CarillonClient
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
do throws(CarillonError) {
    switch (arguments.first, arguments.count) {
    case ("connect", 1): try await connect()
    case ("register", 2): try await register(arguments[1])
    case ("subscribe", 4): try await subscribe(arguments[1], group: arguments[2], topic: arguments[3])
    case ("send", 3): try await send(arguments[1], text: arguments[2])
    case ("languages", 2): try await languages(topic: arguments[1])
    case ("look_up", 3): try await lookUp(arguments[1], unknown: arguments[2])
    case ("schedule", 2): try await schedule(arguments[1])
    case ("follow", 3): try await follow(arguments[1], name: arguments[2])
    default:
        throw CarillonError(.invalidArgument, field: "arguments", message: "no such example")
    }
} catch {
    let line = "\(error.code) \(error.effect.name): \(error.field ?? "")\n"
    FileHandle.standardError.write(Data(line.utf8))
    exit(1)
}
