import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let user = GroupName("user/42")!
private let role = GroupName("role/9001")!

/// The bounds of listings, whatever they list.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ListingTests {
    @Test func `a page that leads to itself ends the listing`() async throws {
        let page = AnyAnswer(GroupTopicsAnswer(next: "level5", topics: []), to: GroupTopicsRequest.self)
        let error = await #expect(throws: CarillonError.self) {
            _ = try await listing([page, page]) { $0.topics(of: user, app: app) }
        }
        #expect(error?.code == .server(.malformed))
    }

    @Test func `a single page has the limit of the call`() async throws {
        let page = NamedSetPage(next: "user/42", rows: [.init(name: "user/42", devices: 3)])
        let (request, groups) = try await exchange(AnyAnswer(page, to: GroupsRequest.self)) {
            client throws(CarillonError) in
            try await client.groups(of: app, after: role, limit: 1)
        }
        #expect(request == AnyRequest(GroupsRequest(app: app, after: "role/9001", limit: 1)))
        #expect(groups.next == user)
    }
}
