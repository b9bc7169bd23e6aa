// Sends COUNT messages at once while servers go and come: carillon-send-many LABEL PREFIX COUNT, for run_losses.py,
// which says what is printed.
import CarillonClient
import Foundation

/// Prints a line at once, also to a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 3, let count = Int(words[2]) else {
    FileHandle.standardError.write(Data("usage: carillon-send-many LABEL PREFIX COUNT\n".utf8))
    exit(2)
}
var configuration = try CarillonClient.Configuration.fromEnvironment()
configuration.requestTimeout = .seconds(60)
// It bounds what the server has accepted before the first answers are read.
configuration.maximumInFlight = 16
configuration.hooks.onState = { state in
    if case .connected(let address, _, _) = state { say("connected \(address)") }
}
try await withCarillonClient(configuration: configuration) { client in
    let app = try client.defaultApp
    await withTaskGroup { group in
        for index in 0..<count {
            let digits = String(index, radix: 16)
            let token = DeviceToken(hex: words[1] + String(repeating: "0", count: 8 - digits.count) + digits)!
            let device = DeviceReference.address(
                DeviceAddress(environment: .production, kind: .device, token: token))
            group.addTask {
                do throws(CarillonError) {
                    let accepted = try await app.send(
                        .alert(body: "Hello"), to: .devices([device]), options: .init(label: "\(words[0]) \(index)"))
                    say("sent \(index) \(accepted.id)")
                } catch {
                    say("failed \(index) \(error.code) \(error.effect.name)")
                }
            }
        }
    }
}
