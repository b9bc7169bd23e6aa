import CarillonTestKit
import Testing

@testable import CarillonServer

/// The manual of carillond lists every setting as the code has it.
struct SettingsPageTests {
    private static let rows = PageTable.rows(
        of: "Sources/Documentation/Manuals/Manual-carillond.md", head: "| setting | default | purpose |")

    @Test func `the manual lists the settings in their order`() {
        #expect(Self.rows.compactMap(\.first) == Setting.all.map { "`\($0.name)`" })
    }

    @Test(arguments: Setting.all) func `the manual has the default and the purpose`(_ setting: Setting) throws {
        let name = "`\(setting.name)`"
        let row = try #require(Self.rows.first { $0.first == name })
        #expect(row == [name, Self.standard(of: setting), Self.purpose(of: setting)])
    }

    private static func standard(of setting: Setting) -> String {
        switch setting.value {
        case .text(""): "empty"
        case .text(let text): "`\(text)`"
        case .number(let number, _): "`\(number)`"
        case .flag(let flag): "`\(flag)`"
        }
    }

    private static func purpose(of setting: Setting) -> String {
        var sentences = [setting.purpose]
        if case .number(_, let range) = setting.value {
            sentences.append("\(range.lowerBound) to \(range.upperBound).")
        }
        if setting.isReloaded { sentences.append("Read again on SIGHUP.") }
        return sentences.joined(separator: " ")
    }
}
