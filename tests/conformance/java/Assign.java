import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Asks Kafka's own assignors: one group as JSON a line in, its assignment as JSON a line out. */
public class Assign {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(answerOrNull(JSON.readTree(line))));
        }
        out.flush();
    }

    /** Null where Kafka's class fails: it does on ownership of partitions that a topic made anew has no more. */
    private static JsonNode answerOrNull(JsonNode question) {
        try {
            return answer(question);
        } catch (IllegalStateException | NullPointerException | IndexOutOfBoundsException failed) {
            return JSON.nullNode();
        }
    }

    private static ConsumerPartitionAssignor assignor(String name) {
        switch (name) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            case "cooperative-sticky": return new CooperativeStickyAssignor();
            default: throw new IllegalArgumentException(name);
        }
    }

    private static JsonNode answer(JsonNode question) {
        String name = question.get("assignor").asText();
        Map<String, Subscription> members = new HashMap<>();
        for (JsonNode member : question.get("members")) {
            members.put(member.get("id").asText(), subscription(name, member));
        }
        ObjectNode result = JSON.createObjectNode();
        assignor(name).assign(cluster(question), new GroupSubscription(members)).groupAssignment().forEach((id, given) -> {
            ArrayNode partitions = result.putArray(id);
            given.partitions().forEach(p -> partitions.addArray().add(p.topic()).add(p.partition()));
        });
        return result;
    }

    /** As a consumer of the group would send it: the ownership also through the assignor's own user data. */
    private static Subscription subscription(String name, JsonNode member) {
        List<String> topics = new ArrayList<>();
        member.get("topics").forEach(topic -> topics.add(topic.asText()));
        List<TopicPartition> owned = new ArrayList<>();
        member.get("owned").forEach(p -> owned.add(new TopicPartition(p.get(0).asText(), p.get(1).asInt())));
        int generation = member.get("generation").asInt();
        ConsumerPartitionAssignor own = assignor(name);
        if (generation >= 0) {
            ConsumerGroupMetadata metadata =
                new ConsumerGroupMetadata("group", generation, member.get("id").asText(), Optional.empty());
            own.onAssignment(new Assignment(owned), metadata);
        }
        Optional<String> rack = member.get("rack").isNull() ? Optional.empty() : Optional.of(member.get("rack").asText());
        Subscription subscription =
            new Subscription(topics, own.subscriptionUserData(new HashSet<>(topics)), owned, generation, rack);
        subscription.setGroupInstanceId(
            member.get("instance").isNull() ? Optional.empty() : Optional.of(member.get("instance").asText()));
        return subscription;
    }

    /** One broker a rack, and one without; a partition has a replica on the broker of each of its racks. */
    private static Cluster cluster(JsonNode question) {
        Map<String, Node> brokers = new HashMap<>();
        Node bare = new Node(0, "localhost", 9092);
        JsonNode racks = question.get("racks");
        racks.forEach(on -> on.forEach(rack -> brokers.computeIfAbsent(
            rack.asText(), r -> new Node(brokers.size() + 1, "localhost", 9092, r))));
        List<PartitionInfo> partitions = new ArrayList<>();
        question.get("partitions").fields().forEachRemaining(topic -> {
            for (int p = 0; p < topic.getValue().asInt(); p++) {
                List<Node> replicas = new ArrayList<>();
                JsonNode on = racks.get(topic.getKey() + "-" + p);
                if (on != null) {
                    on.forEach(rack -> replicas.add(brokers.get(rack.asText())));
                }
                if (replicas.isEmpty()) {
                    replicas.add(bare);
                }
                Node[] nodes = replicas.toArray(new Node[0]);
                partitions.add(new PartitionInfo(topic.getKey(), p, nodes[0], nodes, nodes));
            }
        });
        Set<Node> nodes = new HashSet<>(brokers.values());
        nodes.add(bare);
        return new Cluster("cluster", nodes, partitions, Set.of(), Set.of());
    }
}
